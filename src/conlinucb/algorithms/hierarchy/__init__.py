"""HCB and pHCB: from broad to narrow along a catalogue's tree (Song et al., WSDM 2022)."""

from conlinucb.algorithms.hierarchy.agent import Hierarchical, hcb, phcb

__all__ = ["Hierarchical", "hcb", "phcb"]
