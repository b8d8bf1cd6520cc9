import type {Condition} from '../../core/filter/condition.ts';
import type {Bindings} from '../columns.ts';

/** What a noun's rows can be asked for: SQL expressions by the names of the fields, that of a text over everything that free words are looked for in, and whether there are bodies. */
export type SqlFields = {
	readonly fields: Readonly<Record<string, string>>;
	/** May hold more than the haystack. */
	readonly words?: string;
	/** What they are looked for in beside that, in small letters and digits alone. */
	readonly name?: string;
	readonly body?: string;
};

/** Part of a `where`. */
export type SqlPart = {readonly sql: string; readonly bindings: Bindings};

/** SQLite knows the small letters of ASCII only: what holds others is looked at row by row. */
const isPlain = (text: string): boolean => /^[ -~]*$/.test(text);

const holdsOthers = (column: string): string => `length(${column}) <> octet_length(${column})`;

/** What SQLite can ask for itself: it lets everything pass that `conditions` let pass, and may let more. */
export const sqlOf = (
	conditions: readonly Condition[],
	{columns, now}: {readonly columns: SqlFields; readonly now: number},
): readonly SqlPart[] => conditions.flatMap(condition => partOf(condition, columns, now) ?? []);

function partOf(condition: Condition, columns: SqlFields, now: number): SqlPart | undefined {
	const {isNegated = false} = condition;
	switch (condition.kind) {
		case 'text': {
			const column = columns.fields[condition.field];
			return column === undefined ? undefined : textPart(column, condition.patterns, isNegated);
		}

		case 'number': {
			const column = columns.fields[condition.field];
			return column === undefined ? undefined : numberPart(column, condition);
		}

		case 'since': {
			const column = columns.fields[condition.field];
			return column === undefined
				? undefined
				: {sql: `${column} ${isNegated ? '<' : '>='} ?`, bindings: [condition.from(now)]};
		}

		case 'word': {
			// The column may hold more than is looked in: what it lacks says nothing of what it has.
			return columns.words === undefined || isNegated || !isSearchable(condition.text)
				? undefined
				: wordPart(columns.words, columns.name, condition.text);
		}

		case 'body': {
			return columns.body === undefined || isNegated
				? undefined
				: {sql: `${columns.body} is not null`, bindings: []};
		}
	}
}

/** Whether a text stands in a JSON column as it stands in the value, and has no letter that means something to `glob`. */
const isSearchable = (text: string): boolean => isPlain(text) && !/["\\*]/.test(text);

function textPart(
	column: string,
	patterns: readonly string[],
	isNegated: boolean,
): SqlPart | undefined {
	if (!patterns.every(isPlain)) {
		return undefined;
	}

	const each = patterns.map(pattern =>
		pattern.includes('*') ? `lower(${column}) glob ?` : `instr(lower(${column}), ?) > 0`,
	);
	const any = each.length === 0 ? 'false' : `(${each.join(' or ')})`;
	return {
		sql: `(${isNegated ? 'not ' : ''}${any} or ${holdsOthers(column)})`,
		bindings: patterns.map(pattern =>
			pattern.includes('*') ? pattern.replaceAll(/[[?]/g, letter => `[${letter}]`) : pattern,
		),
	};
}

function wordPart(words: string, name: string | undefined, text: string): SqlPart | undefined {
	const part = textPart(words, [text], false);
	return part && name !== undefined && /^[0-9a-z]+$/.test(text)
		? {sql: `(${part.sql} or instr(${name}, ?) > 0)`, bindings: [...part.bindings, text]}
		: part;
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
): SqlPart {
	const parts = [
		...(from === undefined ? [] : [`${column} ${isOver ? '>' : '>='} ?`]),
		...(to === undefined ? [] : [`${column} ${isUnder ? '<' : '<='} ?`]),
	];
	return {
		sql: `${isNegated ? 'not ' : ''}(${parts.join(' and ')})`,
		bindings: [from, to].filter(value => value !== undefined),
	};
}
