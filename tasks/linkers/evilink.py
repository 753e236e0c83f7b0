"""EviLink (arXiv 2605.29670): many hypotheses, votes, and evidence bought only where they disagree.

At field level and recall first. Stage 1: one prompt elicits hypotheses of the query; under each, tables are selected,
then fields inside them; votes part the elements into *required* (a share of at least ``threshold``), *uncertain* (some
votes) and *candidate* (none). Stage 2: an agent with six tools decides about the uncertain ones, then looks at the
tables that nobody selected. Options; what the paper leaves open is marked *open*:

- ``hypotheses`` (4, the paper's); ``elicitation``: ``one`` call for all (the paper's), or samples at ``temperature``
  (*open*, 0.7) as ``n`` answers of one call or as single ``calls``. All other calls are made at temperature 0.
- ``threshold`` (*open*): 1 means required by every hypothesis that gave an answer.
- ``refine``, ``recovery``: run the agent's phases; without both, the working set of the votes is kept.
- ``protocol``: tool calls are ``native`` to the server, or ``json`` in the text for servers without them.
- ``turns`` (*open*, 12) and ``recovery_turns`` (*open*, 4) of a conversation, ``tokens`` (*open*, 200,000) of stage 2,
  ``probes`` (*open*, 8): where a limit is reached, what is undecided is kept.
- ``spread`` (*open*): a field that the agent keeps is kept in isomorphic tables that are selected (``working``), in all
  of them (``family``), or not (``off``). ``discards`` (*open*): of the whole ``working`` set, as the paper's table of
  tools says, or only of what is ``uncertain``.
- ``budget``: the model's context in tokens; no request exceeds it by an estimate that errs on the safe side. A catalog
  that does not fit is shown in chunks, every table in one of them. ``max_tokens`` of one answer, ``guided`` JSON,
  ``repair`` of an answer that cannot be read, ``threads`` at a time.

What weak models do: fewer hypotheses than asked for are used as they are, and none at all leaves the question alone as
one empty hypothesis; a hypothesis without a readable, non-empty selection abstains, shares are taken of the others, and
what all abstain on is uncertain. If every hypothesis abstains on everything because no answer could be read, that is a
Failure ``parse_error``; if the answers were read and select nothing, the whole catalog is kept and noted ``fallback``.

Notes: ``hypothesis``, ``abstained``, ``vote`` (the hypotheses that name the element, and their share), ``kept`` and
``dropped`` with stage (``refine``, ``recovery``, or ``default`` for what nobody decided) and reason, in the order of
the decisions, of which the last counts; ``tool_call``, and ``stage`` with its calls and tokens.
"""

import json
from typing import Annotated

from schemas.catalog import Catalog
from schemas.errors import Failure
from schemas.records import Question
from schemas.tools import Tools
from tasks.linkers._evilink_agent import Agent, Limits
from tasks.linkers._evilink_calls import Caller
from tasks.linkers._evilink_hypotheses import Elicitation, elicited
from tasks.linkers._evilink_prompts import Asking, Sizes
from tasks.linkers._evilink_selections import Selector
from tasks.linkers._evilink_standing import Discards, Spread, Standing
from tasks.linkers._evilink_turns import Protocol
from tasks.linkers._evilink_votes import Ballot, Votes, count
from tasks.linkers._keep import fall_back, keep_elements
from tasks.linkers._options import Between, Count, Temperature

Share = Annotated[float, Between(0, 1)]
Context = Annotated[int, Between(4096)]
Number = Annotated[int, Between(0)]


def needs(**options: object) -> set[str]:
    """A model."""
    return {"model"}


def link(
    question: Question,
    catalog: Catalog,
    tools: Tools,
    *,
    hypotheses: Count = 4,
    elicitation: Elicitation = "one",
    temperature: Temperature = 0.7,
    threshold: Share = 1.0,
    refine: bool = True,
    recovery: bool = True,
    protocol: Protocol = "native",
    turns: Count = 12,
    recovery_turns: Count = 4,
    tokens: Count = 200_000,
    probes: Number = 8,
    spread: Spread = "working",
    discards: Discards = "working",
    budget: Context = 32_768,
    max_tokens: Count = 2048,
    guided: bool = True,
    repair: bool = True,
    threads: Count = 8,
) -> Catalog:
    """Keep what the hypotheses vote for, less what the agent discards for a reason, and what it recovers."""
    sizes = Sizes(budget, max_tokens)
    asking = Asking(sizes, guided, repair, temperature)
    caller = Caller(tools, catalog.database)
    ways = elicited(question, catalog, caller, asking, elicitation, hypotheses) if catalog.entities else []
    ballots = Selector(question, catalog, caller, asking, threads).ballots(ways)
    if not ballots:
        return fall_back(catalog, tools, "no hypothesis selects a table")
    standing = Standing(catalog, _counted(catalog, ballots, threshold, tools), spread, discards)
    limits = Limits(sizes, turns, recovery_turns, tokens, probes, protocol, guided)
    agent = Agent(question, catalog, caller, standing, ways, limits)
    for phase in (agent.refine,) * refine + (agent.recover,) * recovery:
        phase()
    return keep_elements(catalog, standing.finish(tools))


def _counted(catalog: Catalog, ballots: list[Ballot], threshold: float, tools: Tools) -> Votes:
    """The votes, each noted; a Failure where no ballot could be read."""
    if not any(ballot.named for ballot in ballots):
        raise Failure("parse_error", "no selection of any hypothesis could be read")
    votes = count(catalog, ballots, threshold)
    for element, vote in votes.votes.items():
        tools.note("vote", element, json.dumps(vote.hypotheses), vote.share)
    return votes
