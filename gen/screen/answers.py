"""What the page is told, and the decisions it sends."""

from __future__ import annotations

from typing import Any, NamedTuple

from gen.screen.board import REASONS, Board, Only
from gen.screen.folder import Item
from gen.screen.redraw import Redrawer


class Answers(NamedTuple):
    """The answers to a page's questions, as JSON has them."""

    board: Board
    redrawer: Redrawer
    only: Only

    def queue(self) -> dict[str, Any]:
        """All images that are there, and what does not change."""
        board = self.board
        version = board.version
        return {
            "reviewer": board.reviewer,
            "folder": str(board.folder.path),
            "only": self.only,
            "together": board.folder.identity.get("layout") in ("apart", "fixed"),
            "reasons": list(REASONS.items()),
            "version": version,
            "items": list(board.entries(self.only)),
        }

    def state(self) -> dict[str, Any]:
        """What changes while one works."""
        standing = self.board.standing()
        return standing._asdict() | {
            "undecided": standing.undecided,
            "version": self.board.version,
            "redrawing": self.redrawer.busy,
            "problem": self.redrawer.message or self.board.problem,
        }

    def item(self, item: Item, sha256: str) -> dict[str, Any]:
        """What an image is to show, and what is thought of it."""
        question, looks = item.question, item.question.looks
        return {
            "caption": item.caption,
            "pairs": [(looks[attribute], noun) for attribute, noun in item.shown],
            "kind": item.kind,
            "n": question.n,
            "subset": question.subset,
            "views": self.views(item, sha256),
        }

    def views(self, item: Item, sha256: str) -> list[dict[str, Any]]:
        """What reviewers think of an image, the own decision first."""
        known = self.board.views(item, sha256).values()
        own_first = sorted(
            known, key=lambda one: (one.reviewer != self.board.reviewer, one.reviewer)
        )
        return [one.model_dump(include={"reviewer", "accepted", "reason"}) for one in own_first]

    def decide(self, asked: Any) -> dict[str, Any]:
        """Keep a decision, and have the image drawn again where that is asked for.

        Raises:
            ValueError: for what is no decision, or one on an image that is no longer there.
            OSError: where it can't be kept.
        """
        known = asked if isinstance(asked, dict) else {}
        item = self.board.items.get(str(known.get("id")))
        sha256, accepted = known.get("sha256"), known.get("accepted", "")
        reason, again = known.get("reason", ""), known.get("again", False)
        sound = item and isinstance(sha256, str) and accepted in (True, False, None)
        if not item or not sound or reason not in ("", *REASONS) or (accepted and reason):
            raise ValueError("not a decision")
        self.board.decide(item, str(sha256), accepted, reason)
        if again and accepted is False:
            self.redrawer.ask(item.question)
        return {"views": self.views(item, str(sha256)), "state": self.state()}
