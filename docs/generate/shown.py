"""Examples by the names they show, and the pages that show others."""

BLOCKS = {
    "Advice Agent User": """\
>>> agent = cl.linucb(catalog)
>>> user = agent.new_user(seed=0)
>>> agent.learn(user, "Alien", 1.0)
>>> advice = agent.recommend(user, k=2)
>>> advice.ids, user.rounds
(('Alien', 'Heat'), 1)
""",
    "Question View Never": """\
>>> agent = cl.conlinucb(catalog, schedule=cl.Every(1))
>>> question = agent.ask(agent.new_user())
>>> question.kind, question.ids, question.probe
('term', ('crime',), array([1., 0., 0.]))
>>> silent = agent.replace(schedule=cl.Never())
>>> silent.ask(silent.new_user()) is None
True
>>> class Last:
...     name = "last"
...     def choose(self, view: cl.View) -> int:
...         return int(view.offered[-1])
>>> mine = agent.replace(strategy=Last())
>>> mine.ask(mine.new_user()).ids
('love',)
""",
    "Comparison Comparisons Results Summary": """\
>>> people = cl.LinearUsers(np.eye(3), pool_size=2)
>>> agents = {"UCB": cl.linucb(catalog), "greedy": cl.linucb(catalog, select="greedy")}
>>> results = cl.simulate(agents, people, rounds=20, repeats=2)
>>> results.metric("UCB", "regret").shape
(2, 3, 20)
>>> versus = results.compare("UCB", "greedy")
>>> bool(versus.low <= versus.difference <= versus.high)
True
>>> summary, pairs = results.summary(), results.compare_all()
>>> len(summary.lines), len(pairs)
(2, 1)
""",
    "Tuned": """\
>>> people = cl.LinearUsers(np.random.default_rng(0).normal(size=(8, 3)), pool_size=2)
>>> space = cl.Space(cl.linucb, catalog, alpha=cl.Log(0.01, 1.0))
>>> tuned = cl.tune({"LinUCB": space}, people, rounds=10, budget=4)
>>> list(tuned.best["LinUCB"])
['alpha']
""",
    "People Place Round Draw Happened": """\
>>> class Steady(cl.People):
...     pool_size = 2
...     def __len__(self):
...         return 1
...     def values(self, place, arms):
...         return np.full(len(arms), 0.5)
...     def reward(self, place, arm):
...         return 0.5
...     def answer(self, place, question, number):
...         return 1.0
>>> people = Steady()
>>> place = people.place(catalog, seed=0, repeat=0, user=0, round=1)
>>> len(people.round(place).pool)
2
>>> happened = cl.play_round(cl.linucb(catalog), cl.linucb(catalog).new_user(), people, place)
>>> happened.regret
0.0
>>> cl.LinearUsers(np.eye(3), pool_size=2).draw(
...     seed=0, repeat=0, user=0, round=1, catalog=catalog).pool.size
2
""",
    "Lies Refuses Drifts Opinions": """\
>>> people = cl.LinearUsers(np.eye(3), term_noise=0.0, pool_size=2)
>>> agent = cl.conlinucb(catalog, schedule=cl.Every(1))
>>> question = agent.ask(agent.new_user())
>>> place = people.place(catalog, seed=0, repeat=0, user=0, round=1)
>>> people.answer(place, question, 0), cl.Lies(people, 1.0).answer(place, question, 0)
(1.0, 0.0)
>>> cl.Refuses(people, 1.0).answer(place, question, 0) is None
True
>>> len(cl.Drifts(people, rounds=50)), people.opinions(place, question, 0).values
(3, array([1.]))
""",
    "Picked": """\
>>> agent = cl.conlinucb(catalog, strategy="best-of", schedule=cl.Every(1))
>>> user = agent.new_user()
>>> question = agent.ask(user)
>>> agent.hear(user, question, cl.Picked(("space",)))
>>> agent.recommend(user).ids
('Alien',)
""",
    "Spanner Design": """\
>>> rows = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
>>> found = cl.barycentric_spanner(rows)
>>> found.indices, found.rank
(array([0, 1]), 2)
>>> cl.optimal_design(rows).weights.round(2)
array([0.5, 0.5, 0. ])
""",
    "Estimator State Kernels": """\
>>> agent = cl.linucb(catalog)
>>> isinstance(agent.estimator, cl.Estimator), isinstance(agent.new_user().state, cl.State)
(True, True)
>>> isinstance(agent.estimator.kernels, cl.Kernels)
True
""",
    "TheoryAlpha": """\
>>> cl.linucb(catalog, alpha=cl.TheoryAlpha(delta=0.05)).recommend(
...     cl.linucb(catalog).new_user()).ids
('Heat',)
""",
    "Sharing": """\
>>> isinstance(cl.KMeans(3), cl.Sharing)
True
""",
    "OwnRounds": """\
>>> agent: cl.OwnRounds = cl.conduel(catalog)  # two arms a round, and which is preferred
>>> agent.catalog is catalog
True
""",
    "Estimate Evaluation SyntheticLog": """\
>>> people = cl.LinearUsers(np.random.default_rng(0).normal(size=(50, 3)), pool_size=3)
>>> log = cl.synthetic_log(cl.linucb(catalog, select=cl.EpsilonGreedy(0.5)), people, rounds=4)
>>> found = cl.evaluate(log.table, cl.linucb(catalog))
>>> found["ips"].low < found["ips"].value < found["ips"].high
True
""",
    "ConlinucbError InvalidInput": """\
>>> try:
...     cl.linucb(catalog, beta=-1.0)
... except cl.InvalidInput as error:
...     isinstance(error, cl.ConlinucbError)
True
""",
    "UnknownName": """\
>>> try:
...     catalog.term_index("crimes")
... except cl.UnknownName as error:
...     "crime" in str(error)
True
""",
    "IncompatibleState": """\
>>> arrays = cl.linucb(catalog).new_user().to_arrays()
>>> try:
...     cl.conucb(catalog).load_user(arrays)
... except cl.IncompatibleState as error:
...     print(type(error).__name__)
IncompatibleState
""",
    "QuestionClosed": """\
>>> agent = cl.conlinucb(catalog, schedule=cl.Every(1))
>>> user = agent.new_user()
>>> question = agent.ask(user)
>>> agent.hear(user, question, 1.0)
>>> try:
...     agent.hear(user, question, 1.0)
... except cl.QuestionClosed as error:
...     print(type(error).__name__)
QuestionClosed
""",
    "StrategyError": """\
>>> class Careless:
...     name = "careless"
...     def choose(self, view):
...         return 0
>>> agent = cl.conlinucb(catalog, strategy=Careless(), schedule=cl.Every(1))
>>> try:
...     agent.ask(agent.new_user(), offered=[1, 2])
... except cl.StrategyError as error:
...     print(type(error).__name__)
StrategyError
""",
    "MissingExtra": """\
>>> isinstance(cl.MissingExtra("runner", "A picture"), ImportError)
True
""",
    "RankWarning": """\
>>> issubclass(cl.RankWarning, UserWarning)
True
""",
    "conucb_alpha conucb_term_alpha t0 lemma_3 theorem_1 theorem_2 conucb_bound": """\
>>> from conlinucb import theory
>>> bool(theory.conucb_alpha(100, d=5, mix=0.5, delta=0.05) > 0)
True
>>> bool(theory.conucb_term_alpha(20, d=5, term_beta=1.0, delta=0.05) > 0)
True
>>> start = theory.t0(b=1.0, lambda_B=0.1, d=5, delta=0.05)
>>> bool(np.isnan(theory.lemma_3(start / 2, b=1.0, lambda_B=0.1, d=5, delta=0.05)))
True
>>> T = 10_000
>>> bounds = [theory.theorem_1(T, b=1.0, lambda_B=0.1, d=5, beta=1.0, delta=0.05),
...           theory.theorem_2(T, b=1.0, d=5, beta=1.0, delta=0.05),
...           theory.conucb_bound(T, b=1.0, d=5, mix=0.5, term_beta=1.0, delta=0.05)]
>>> bool(np.all(np.array(bounds) > 0))
True
""",
    "Dataset Interactions": """\
>>> data = cl.datasets.synthetic(arms=50, terms=10, users=3, d=4)
>>> data.name, data.thetas.shape
('synthetic', (3, 4))
>>> plays, tags = {"person": ["ann", "bo"], "item": ["x", "x"]}, {"item": ["x"], "tag": ["jazz"]}
>>> logged = cl.datasets.interactions(plays, tags, implicit=True)
>>> logged.counts["events"]
2
""",
    "check_agent check_estimator check_people check_strategy": """\
>>> from conlinucb import checks
>>> checks.check_strategy("max-radius", rounds=5)
>>> checks.check_estimator(cl.Ridge(beta=1.0), d=3, updates=20)
>>> checks.check_people(cl.LinearUsers(np.eye(3), pool_size=2), catalog, rounds=3)
>>> checks.check_agent(cl.conlinucb(catalog), rounds=3)
""",
    "Recommended FirstRounds Uncertain WorthLearning": """\
>>> ways = {"first": cl.FirstRounds(5), "unsure": cl.Uncertain(0.5)}
>>> ways["worth"] = cl.WorthLearning(0.01)
>>> agents = {name: cl.linucb(catalog).replace(rewards=way) for name, way in ways.items()}
>>> results = cl.simulate(agents, cl.LinearUsers(np.eye(3), pool_size=2), rounds=20)
>>> results.metric("first", "rewards_asked")[0, :, -1].tolist()
[5.0, 5.0, 5.0]
>>> bool((results.metric("unsure", "rewards_asked")[0, :, -1] < 20).all())
True
>>> @cl.rewards_kernel
... def in_even_rounds(now: cl.Recommended) -> int:
...     return 1 - now.round % 2
""",
    "mix derive uniform uniform_index normal distinct": """\
>>> from conlinucb import randomness
>>> seed = randomness.derive(np.uint64(0), 7)
>>> 0.0 <= randomness.uniform(seed, 0) < 1.0, randomness.uniform_index(seed, 1, 6) in range(6)
(True, True)
>>> randomness.normal(seed, 2) == randomness.normal(seed, 2)
True
>>> out, among = np.zeros(2, np.int64), np.arange(5)
>>> randomness.distinct(seed, among, np.zeros(5, np.uint8), out)
>>> bool(out[0] != out[1]), bool(randomness.mix(seed) != seed)
(True, True)
""",
}
"""Names -> what shows them."""
ELSEWHERE = {
    "conlinucb.client": "/made/gallery/14_a_client_of_the_service",
    "lastfm": "/data/lastfm",
    "movielens": "/data/movielens",
    "listening": "/made/gallery/11_listening",
    "ratings": "/made/gallery/12_ratings",
    "check_storage": "/contributing",
    "read_export": "/offline",
}
"""Name or module -> the page whose code has it."""
