# %% [markdown]
# # 14. A client of the service
#
# `conlinucb serve` puts a catalogue behind HTTP; `conlinucb.client` talks to it, from any program
# and without NumPy. This example starts a real server on this machine, holds two conversations,
# and stops it. It wants `pip install 'conlinucb[service,client,runner]'`.

# %%
import socket
import subprocess
import sys
import tempfile

import matplotlib.pyplot as plt

from conlinucb.client import Client, Next, Question, Receipt, Recommendation, Refused, Reward

folder = tempfile.TemporaryDirectory()
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
command = [sys.executable, "-m", "conlinucb", "serve", "--port", str(port)]
server = subprocess.Popen(
    [*command, "--database", f"sqlite:///{folder.name}/log.db"],
    stdout=subprocess.DEVNULL,
    stderr=subprocess.DEVNULL,
)
client = Client(f"http://127.0.0.1:{port}")

# %% [markdown]
# The first call is sent again until the server is there: all calls are, for a minute. Saying
# something twice does no harm, since it carries an id and counts once.

# %%
(films,) = client.catalogues()
print(films.catalogue, "-", films.items, "items,", films.terms, "topics")

# %% [markdown]
# Ann names a topic that she likes, unasked. Then `next` is what comes next: a question or items. A
# question stays open until it is answered or skipped.

# %%
LIKED = {"heist stories", "gangster stories", "surprise twists", "dark humour"}


def talk(user: str, rounds: int) -> list[float]:
    """Questions answered and items rated; how much is known of this person after each round."""
    known = [client.picture(user).known]
    for _ in range(rounds):
        step = client.next(user)
        if isinstance(step, Question):
            answer = "yes" if step.term in LIKED else "no"
            print(f"  {step.text} {answer}")
            client.answer(user, step, answer)
            step = client.next(user, ask="never")
        assert isinstance(step, Recommendation)  # since nothing was to be asked
        item = step.items[0]
        client.reward(user, item.item, float(bool(LIKED & set(item.terms))), decision=step)
        known.append(client.picture(user).known)
    return known


client.answer("ann", None, "yes", topic="heist stories")
ann = talk("ann", 6)
print("best now:", ", ".join(item.title for item in client.best("ann", 3).items))

# %% [markdown]
# Several things can be said in one request; and what was said can be taken back.

# %%
done = client.steps("bo", [Reward("Alien (1979)", 1.0)], Next(k=3, ask="never", fresh=True))
assert isinstance(done.step, Recommendation)
print("bo:", ", ".join(item.title for item in done.step.items))
(receipt,) = done.receipts
assert isinstance(receipt, Receipt)  # or a Refusal, with the reason
client.retract("bo", receipt)
print("known of bo after taking it back:", client.picture("bo").known)

# %% [markdown]
# What is refused comes with the reason, what came in and what would be right.

# %%
try:
    client.reward("bo", "Alien", 1.0)
except Refused as refused:
    print(refused.status, refused.code, "-", refused)

# %%
figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
axes.plot(range(len(ann)), ann, "o-")
axes.set(xlabel="rounds with Ann", ylabel="known of her, from 0 to 1", ylim=0)
plt.show()

# %% [markdown]
# The server is asked to stop, finishes what is running, and leaves its log on disk. This one's
# folder is temporary.

# %%
client.forget("ann")
client.close()
server.terminate()
server.wait(timeout=30)
folder.cleanup()
