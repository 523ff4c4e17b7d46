"""People with steady tastes: who likes these topics likes every film that has one of them."""

STEADY = (
    ("animation", "feel-good"),
    ("horror", "dark and disturbing"),
    ("science fiction", "set in space", "robots and thinking machines"),
    ("love stories", "feel-good"),
    ("war stories", "true stories"),
    ("westerns", "epic in scale"),
    ("musicals", "music and musicians"),
    ("mysteries", "surprise twists", "suspense thrillers"),
    ("gangster stories", "heist stories"),
    ("documentaries", "politics and power"),
    ("martial arts and samurai", "set in japan"),
    ("sad and moving", "family ties", "growing up"),
)
