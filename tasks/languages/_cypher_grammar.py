"""The grammar of Cypher: cypherast's, with what it misses of Neo4j 5.

Those are label expressions (``A&!B``, ``(A|B)&C``, ``%``), inner queries with several patterns or a WHERE, ``COLLECT``,
quantified relationships (``-[:R]->{1,3}``), ``SHORTEST``, patterns inside parentheses among other conditions, and
names that are also words of the language, such as ``order``.
"""

from cypherast import ast
from cypherast.errors import ParseError
from cypherast.lexer import Token, TokenKind
from cypherast.parser import Parser

NAMES = {TokenKind.ORDER, TokenKind.INDEX, TokenKind.JOIN, TokenKind.SCAN, TokenKind.ON, TokenKind.NEXT}
NAMES |= {TokenKind.USE, TokenKind.FILTER, TokenKind.FOR, TokenKind.LET, TokenKind.INSERT, TokenKind.CYPHER}
OPENING = {TokenKind.LPAREN, TokenKind.LBRACKET}
CALLING = {TokenKind.LPAREN, TokenKind.LBRACE}
INNER = {TokenKind.EXISTS, TokenKind.COUNT, TokenKind.COLLECT}
QUANTIFIERS = (TokenKind.LBRACE, TokenKind.STAR, TokenKind.PLUS)
NO_LABEL = {TokenKind.DOT, TokenKind.RBRACKET, *OPENING, TokenKind.LBRACE, TokenKind.PLUS, TokenKind.MINUS}


class Grammar(Parser):
    """A parser of one statement; a LabelExpression has its asserted names in ``labels``, denied in ``expression``."""

    def __init__(self, source: str) -> None:
        super().__init__(source, "neo4j25")
        self.tokens = _named(self.tokens, source)

    def parse_path_pattern(self) -> ast.PathPattern:
        """A path, a selector such as ``SHORTEST 2`` before it dropped."""
        name = None
        if self._check(TokenKind.IDENT) and self._check_ahead(TokenKind.EQ):
            name = self.parse_variable()
            self._advance()
        if self._match_word("SHORTEST") or (self._peek(1).text.upper() == "SHORTEST" and bool(self._advance())):
            self._match_word("SHORTEST")
            self._match(TokenKind.INTEGER)
        path = super().parse_path_pattern()
        if name is not None:
            path.set("variable", name)
        return path

    def parse_relationship_pattern(self) -> ast.RelationshipPattern:
        """A relationship with the quantifier that may follow its arrow."""
        pattern = super().parse_relationship_pattern()
        if self._check_any(*QUANTIFIERS):
            self._parse_path_quantifier()
            pattern.set("variable_length", True)
        return pattern

    def parse_return_items(self) -> list[ast.AstNode]:
        """The items of WITH or RETURN; more may follow a star."""
        star = self._check(TokenKind.STAR) and self._check_ahead(TokenKind.COMMA)
        if star:
            self._advance()
            self._advance()
        items = super().parse_return_items()
        return [ast.Star(), *items] if star else items

    def _parse_procedure_name(self) -> str:
        """A dotted name, any word in it."""
        parts = [self._parse_unquoted_name()]
        while self._match(TokenKind.DOT):
            parts.append(self._parse_unquoted_name())
        return ".".join(parts)

    def parse_not(self) -> ast.AstNode:
        """A negated condition, patterns included."""
        if self._match(TokenKind.NOT):
            return ast.Not(this=self.parse_not())
        return self.parse_comparison()

    def parse_primary(self) -> ast.AstNode:
        """The smallest expressions; EXISTS, COUNT and COLLECT with braces are inner queries."""
        if self._peek().kind in INNER and self._check_ahead(TokenKind.LBRACE):
            return self._inner_query()
        return super().parse_primary()

    def _inner_query(self) -> ast.CountSubquery:
        self._advance()
        self._advance()
        bare = self._check(TokenKind.LPAREN) or (self._check(TokenKind.IDENT) and self._check_ahead(TokenKind.EQ))
        query = ast.Query(clauses=[self._bare_match()]) if bare else self.parse_statement()
        self._expect(TokenKind.RBRACE)
        return ast.CountSubquery(query=query)

    def _bare_match(self) -> ast.Match:
        pattern = self.parse_pattern()
        where = ast.Where(this=self.parse_expression()) if self._match(TokenKind.WHERE) else None
        return ast.Match(pattern=pattern, where=where)

    def _parse_paren_or_pattern(self) -> ast.AstNode:
        """A pattern of at least one relationship, else an expression in parentheses."""
        start = self._i
        try:
            path = self.parse_path_pattern()
            if len(path.elements) > 1:
                return ast.PatternPredicate(pattern=path, not_=False)
        except ParseError:
            pass
        self._i = start
        self._expect(TokenKind.LPAREN)
        inner = self.parse_expression()
        self._expect(TokenKind.RPAREN)
        return inner

    def _parse_labels(self) -> ast.LabelExpression:
        """A label expression: the names that it asserts, and those that it denies."""
        in_pattern = OPENING & {self._peek(-1).kind, self._peek(-2).kind}
        self._expect(TokenKind.COLON)
        asserted: list[str] = []
        denied: list[str] = []
        self._label_terms(asserted, denied, bool(in_pattern))
        return ast.LabelExpression(labels=asserted, expression=denied)

    def _parse_type_name(self) -> str:
        """A relationship type; one that is denied with its ``!``, and ``%`` for any."""
        if self._match(TokenKind.PERCENT):
            return "%"
        return ("!" if self._match(TokenKind.BANG) else "") + super()._parse_type_name()

    def _label_terms(self, asserted: list[str], denied: list[str], in_pattern: bool) -> None:
        while True:
            if self._match(TokenKind.BANG):
                asserted, denied = denied, asserted
                self._label_term(asserted, denied, in_pattern)
                asserted, denied = denied, asserted
            else:
                self._label_term(asserted, denied, in_pattern)
            if self._match(TokenKind.AMP) or self._match(TokenKind.COLON):
                continue
            if not (self._check(TokenKind.PIPE) and (in_pattern or self._peek(2).kind not in NO_LABEL)):
                return
            self._advance()
            self._match(TokenKind.COLON)

    def _label_term(self, asserted: list[str], denied: list[str], in_pattern: bool) -> None:
        if self._match(TokenKind.LPAREN):
            self._label_terms(asserted, denied, in_pattern)
            self._expect(TokenKind.RPAREN)
        elif not self._match(TokenKind.PERCENT):
            asserted.append(self._parse_unquoted_name())


def _named(tokens: list[Token], source: str) -> list[Token]:
    """The tokens with words of the language that stand for names turned into names."""

    def spelled(token: Token) -> str:
        return source[token.position.offset : token.position.offset + len(token.text)]

    told = {
        spelled(token)
        for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if token.kind in NAMES
        and (before.kind is TokenKind.AS or (before.kind in OPENING and after.kind is TokenKind.COLON))
    }
    for at, token in enumerate(tokens[:-1]):
        by = token.kind is TokenKind.ORDER and tokens[at + 1].kind is TokenKind.BY
        alone = token.kind in (TokenKind.COUNT, TokenKind.COLLECT) and tokens[at + 1].kind not in CALLING
        if alone or (token.kind in NAMES and spelled(token) in told and not by):
            tokens[at] = Token(TokenKind.IDENT, spelled(token), token.position)
    return tokens
