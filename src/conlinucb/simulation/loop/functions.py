"""An agent's functions by their addresses, so that a call of the loop costs microseconds.

Handing a compiled function to a kernel makes Numba look it up by its signature, some 50
microseconds for each of them at every call; that is done once for an agent, and the loop is handed
numbers. They mean something in this process only, and as long as the functions are there.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic

from conlinucb.agent.estimators.kernels import LEARNS, REACHES, SAMPLES, SCORES
from conlinucb.agent.rewards.base import WANTED
from conlinucb.agent.strategies.base import PROBE, SIGNATURE
from conlinucb.numerics.compile import INDEX, INT, VOID, kernel
from conlinucb.numerics.validation import Indices

STRATEGY, PROBES = types.FunctionType(SIGNATURE), types.FunctionType(PROBE)
FUNCTIONS = 8
"""The strategy's choice, the gate, the estimator's learn, score, reach and sample, then what the
strategy takes an answer for, and whether a reward is asked for."""


def _pair(kind: Any) -> tuple[Any, Any]:
    """Two functions for kernels: from a function of this kind to its address, and back."""

    @intrinsic
    def address(typing_context: Any, function: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            made = cgutils.create_struct_proxy(kind)(context, builder, value=given[0])
            return builder.ptrtoint(made.jit_addr, context.get_value_type(INT))

        return INT(kind), build

    @intrinsic
    def at(typing_context: Any, number: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            made = cgutils.create_struct_proxy(kind)(context, builder)
            made.jit_addr = builder.inttoptr(given[0], context.get_value_type(types.voidptr))
            return made._getvalue()

        return kind(INT), build

    return address, at


_of_strategy, strategy_at = _pair(STRATEGY)
_of_learn, learn_at = _pair(LEARNS)
_of_score, score_at = _pair(SCORES)
_of_reach, reach_at = _pair(REACHES)
_of_sample, sample_at = _pair(SAMPLES)
_of_probe, probe_at = _pair(PROBES)
_of_wants, wants_at = _pair(WANTED)


@kernel(VOID(STRATEGY, STRATEGY, LEARNS, SCORES, REACHES, SAMPLES, PROBES, WANTED, INDEX))
def addresses(
    choose: Any,
    gate: Any,
    learn: Any,
    score: Any,
    reach: Any,
    sample: Any,
    probe: Any,
    wants: Any,
    out: Indices,
) -> None:
    """The addresses of an agent's functions, into ``out`` (FUNCTIONS,)."""
    out[0], out[1] = _of_strategy(choose), _of_strategy(gate)
    out[2], out[3] = _of_learn(learn), _of_score(score)
    out[4], out[5] = _of_reach(reach), _of_sample(sample)
    out[6], out[7] = _of_probe(probe), _of_wants(wants)
