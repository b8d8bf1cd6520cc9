import type {ErrorCode} from 'yaml';

/** Our own words: the parser's quote the text, and the text may be a secret. */
export const parserMessages: Readonly<Record<ErrorCode, string>> = {
	ALIAS_PROPS: 'an alias cannot have an anchor or a tag',
	BAD_ALIAS: 'an alias is malformed or names no anchor above it',
	BAD_COLLECTION_TYPE: 'a tag does not fit its value',
	BAD_DIRECTIVE: 'a line that starts with "%" is not a YAML directive',
	BAD_DQ_ESCAPE: 'a backslash in double quotes starts no known escape: use single quotes',
	BAD_INDENT: 'the indentation does not fit the lines above, or a bracket there is not closed',
	BAD_PROP_ORDER: 'an anchor or a tag stands in the wrong place',
	BAD_SCALAR_START: 'a text cannot start with this character: put it in quotes',
	BLOCK_AS_IMPLICIT_KEY:
		'a mapping cannot start in the middle of a line: a quote or a line break is missing',
	BLOCK_IN_FLOW: 'an indented block cannot stand inside brackets: one above may not be closed',
	DUPLICATE_KEY: 'stands twice in the same mapping',
	IMPOSSIBLE: 'this is not YAML',
	KEY_OVER_1024_CHARS: 'a key is longer than 1,024 characters',
	MISSING_CHAR: 'a quote, a bracket, a comma, a colon or a space is missing',
	MULTILINE_IMPLICIT_KEY:
		'a key spans several lines: a colon, a quote or an indentation is missing',
	MULTIPLE_ANCHORS: 'a value has two anchors',
	MULTIPLE_DOCS: 'the file holds a second document after "---"',
	MULTIPLE_TAGS: 'a value has two tags',
	NON_STRING_KEY: 'a key is not text',
	RESOURCE_EXHAUSTION: 'is nested too deeply',
	TAB_AS_INDENT: 'a tab cannot indent: use spaces',
	TAG_RESOLVE_FAILED: 'a tag is unknown: a text that starts with "!" must stand in quotes',
	UNEXPECTED_TOKEN:
		'something stands here that YAML does not expect: a quote or a bracket may be missing',
};
