import type {AskedBody, Condition} from '../../core/filter/payload-terms.ts';
import type {Bindings} from '../columns.ts';

/** SQL expressions of a noun: `fields` by name, the text that free words are searched in, and the column of bodies. */
export type SqlFields = {
	readonly fields: Readonly<Record<string, string>>;
	/** The text for free words; may contain more than what the filter itself searches. */
	readonly words?: string;
	/** Condition for rows that may contain words missing in that text. */
	readonly unsure?: string;
	/** Another text for free words, of lower-case letters and digits only. */
	readonly name?: string;
	readonly body?: string;
};

/** Part of a `where` clause, with a question mark for each binding. */
export type SqlPart = {readonly sql: string; readonly bindings: Bindings};

/** The SQL of one engine. A part passes every row that its condition passes, and may pass more. */
export type SqlDialect = {
	/** SQL condition, case-insensitive: the parameter is contained in a text column, or, for `fits`, matches all of it as a pattern. */
	contains(column: string): string;
	fits(column: string): string;
	/** A pattern with asterisks as the parameter of `fits`. */
	patternOf(pattern: string): string;
	/** SQL for a numeric parameter. */
	readonly number: string;
	/** SQL condition for rows to be tested one by one, because the engine may treat their text differently. */
	isUnsure?(column: string): string;
	word(columns: SqlFields, text: string): SqlPart | undefined;
	body(column: string, asked: AskedBody): SqlPart;
};

/** The columns, the time that ages are relative to, and the dialect. */
type Asked = {readonly columns: SqlFields; readonly now: number; readonly dialect: SqlDialect};

/** The parts of `conditions` that SQL can test: they pass every row that the conditions pass, and may pass more. */
export const sqlOf = (conditions: readonly Condition[], asked: Asked): readonly SqlPart[] =>
	conditions.flatMap(condition => partOf(condition, asked) ?? []);

function partOf(condition: Condition, {columns, now, dialect}: Asked): SqlPart | undefined {
	const {isNegated = false} = condition;
	if (condition.kind === 'word') {
		// The column may have more text than is searched, so that a negated word cannot be tested.
		return isNegated ? undefined : dialect.word(columns, condition.text);
	}

	if (condition.kind === 'body') {
		return columns.body === undefined || isNegated
			? undefined
			: dialect.body(columns.body, condition);
	}

	const column = columns.fields[condition.field];
	if (column === undefined) {
		return undefined;
	}

	switch (condition.kind) {
		case 'text': {
			return textPart(dialect, column, {patterns: condition.patterns, isNegated});
		}

		case 'number': {
			return numberPart(column, condition, dialect);
		}

		case 'since': {
			const sql = `${column} ${isNegated ? '<' : '>='} ${dialect.number}`;
			return {sql, bindings: [condition.from(now)]};
		}
	}
}

/** Both engines lower-case only ASCII letters. */
const isPlain = (text: string): boolean => /^[ -~]*$/.test(text);

function textPart(
	dialect: SqlDialect,
	column: string,
	{patterns, isNegated}: {readonly patterns: readonly string[]; readonly isNegated: boolean},
): SqlPart | undefined {
	if (!patterns.every(isPlain)) {
		return undefined;
	}

	const each = patterns.map(pattern =>
		pattern.includes('*') ? dialect.fits(column) : dialect.contains(column),
	);
	const any = each.length === 0 ? 'false' : `(${each.join(' or ')})`;
	const asked = `${isNegated ? 'not ' : ''}${any}`;
	return {
		sql: dialect.isUnsure ? `(${asked} or ${dialect.isUnsure(column)})` : asked,
		bindings: patterns.map(pattern =>
			pattern.includes('*') ? dialect.patternOf(pattern) : pattern,
		),
	};
}

function numberPart(
	column: string,
	{
		from,
		to,
		isOver = false,
		isUnder = false,
		isNegated = false,
	}: Extract<Condition, {readonly kind: 'number'}>,
	{number}: SqlDialect,
): SqlPart {
	const parts = [
		...(from === undefined ? [] : [`${column} ${isOver ? '>' : '>='} ${number}`]),
		...(to === undefined ? [] : [`${column} ${isUnder ? '<' : '<='} ${number}`]),
	];
	return {
		sql: `${isNegated ? 'not ' : ''}(${parts.join(' and ')})`,
		bindings: [from, to].filter(value => value !== undefined),
	};
}

/** SQLite. Words are also searched in JSON, where text looks as in the value except for letters that JSON escapes. */
export const sqliteDialect: SqlDialect = {
	contains: column => `instr(lower(${column}), ?) > 0`,
	fits: column => `lower(${column}) glob ?`,
	patternOf: pattern => pattern.replaceAll(/[[?]/g, letter => `[${letter}]`),
	number: '?',
	isUnsure: column => `length(${column}) <> octet_length(${column})`,
	word({words, name}, text) {
		if (words === undefined || !isPlain(text) || /["\\*]/.test(text)) {
			return undefined;
		}

		const part = textPart(sqliteDialect, words, {patterns: [text], isNegated: false});
		return part && name !== undefined && /^[0-9a-z]+$/.test(text)
			? {sql: `(${part.sql} or instr(${name}, ?) > 0)`, bindings: [...part.bindings, text]}
			: part;
	},
	body: column => ({sql: `${column} is not null`, bindings: []}),
};
