# %% [markdown]
# # 2. Your own table of items and tags
#
# All that a catalogue needs is a table that says which item has which tags: a .csv, .tsv or
# .parquet file, a pandas, polars or pyarrow table, or a dictionary of columns. This one is
# written as exports often are: semicolons, several tags in one cell, columns with names of their
# own.

# %%
import shutil
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

import conlinucb as cl

file = Path(tempfile.mkdtemp()) / "albums.csv"
file.write_text(
    """album;year;styles
Kind of Blue;1959;jazz|calm
Blue Train;1958;jazz
A Love Supreme;1965;jazz|spiritual
Abbey Road;1969;rock|british
Help!;1965;Rock |british
Pet Sounds;1966;rock|dreamy
In a Silent Way;1969;jazz|calm|dreamy
Pink Moon;1972;folk|calm|british
""",
    encoding="utf-8",
)

# %% [markdown]
# `cl.Table` says how a table is written: what is called what, and that no column is a tag's
# weight (else a message would point out that the numbers in `year` are not used). "Rock " and
# "rock" become one key-term, and tags of a single item none; the report says what was done.

# %%
columns = {"item": "album", "tag": "styles", "weight": None}
table = cl.Table(file, columns=columns, separator=";", split="|")
catalog = cl.Catalog.from_tags(table, min_items=2)
print(catalog.term_ids)
for what, count in catalog.report.items():
    print(f"{count:3} {what}")

# %% [markdown]
# Nothing is guessed. A column that is not there is an error, with the nearest that is.

# %%
try:
    cl.Catalog.from_tags(cl.Table(file, columns={**columns, "item": "albums"}, separator=";"))
except cl.ConlinucbError as error:
    print(str(error).replace(str(file), file.name))

# %% [markdown]
# Then talk, as with any catalogue. Verbs take ids as well as indices.

# %%
agent = cl.for_newcomers(catalog.with_constant())
user = agent.new_user()
agent.volunteer(user, "calm", 1.0)
agent.learn(user, "Pink Moon", 0.0)  # calm, but not this one
print(agent.recommend(user, k=3, exclude=["Pink Moon"]).ids)

# %%
believed = agent.estimates(user)
figure, axes = plt.subplots(figsize=(6, 2.8), layout="constrained")
axes.errorbar(believed.means, list(catalog.term_ids), xerr=believed.radii, fmt="o", capsize=3)
axes.set_xlabel("liking believed after two words, with one standard deviation")
plt.show()

# %% [markdown]
# Catalogues are stored as one file, and grow: users go on with what they said before.

# %%
catalog.save(file.with_suffix(".npz"))
more = catalog.add_tagged({"Bitches Brew": {"jazz": 1.0, "dreamy": 1.0}})
print(len(catalog), "items, then", len(more))
shutil.rmtree(file.parent)
