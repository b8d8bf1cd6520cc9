import type {Delivery} from '../../core/delivery.ts';
import type {FilteredDelivery} from '../../core/filter/delivery-vocabulary.ts';
import type {AskedBody, Condition} from '../../core/filter/payload-terms.ts';
import type {Group} from '../../core/group.ts';
import type {Run} from '../../core/run.ts';
import {approvals, deliveries, groups, runs, type HistoryOf} from '../history/nouns.ts';
import type {HistoryNoun} from '../history/port.ts';
import type {Narrowing} from '../history/search-step.ts';
import {sqlOf, type SqlDialect, type SqlFields, type SqlPart} from '../history/sql-conditions.ts';
import {runSubject} from './ask.ts';
import {runColumns} from './run-reader.ts';
import {deliveryWords, holdsAll, plainPartsOf} from './words.ts';

/** PostgreSQL. Plain patterns have the same result as in the filter: for ASCII letters, `svc_fold` agrees with `toLowerCase`. */
const postgresDialect: SqlDialect = {
	contains: column => `strpos(svc_fold(${column}), ?) > 0`,
	fits: column => `svc_fold(${column}) like ?`,
	patternOf: pattern => pattern.replaceAll(/[\\%_]/g, letter => `\\${letter}`).replaceAll('*', '%'),
	number: '?::double precision',
	word(columns, text) {
		const parts = plainPartsOf(text);
		return columns.words === undefined || parts.length === 0 ? undefined : holdsAll(columns, parts);
	},
	body(column, {text = '', field}) {
		const parts = field ? holdingField(column, field) : holding(column, plainPartsOf(text));
		return parts.sql === ''
			? {sql: `${column} is not null`, bindings: []}
			: {
					sql: `${column} is not null and ((${parts.sql}) or ${writtenOtherwise(column)})`,
					bindings: parts.bindings,
				};
	},
};

const holds = (column: string, bytes: string): string => `position(${bytes} in ${column}) > 0`;

const utf8 = `convert_to(?::text, 'UTF8')`;

/** SQL condition: a body may encode plain letters differently, by a backslash as in JSON, by form encoding, or by one of two letters that fold to an ASCII letter. */
const writtenOtherwise = (column: string): string =>
	[
		...['5c', 'e284aa', 'c4b0'].map(bytes => holds(column, `'\\x${bytes}'::bytea`)),
		`(substr(${column}, 1, 1) <> '{'::bytea and (${holds(column, "'%'::bytea")} or ${holds(column, "'+'::bytea")}))`,
	].join(' or ');

/** All parts occur in a body, case-insensitively. The condition sees non-ASCII bytes as octal escapes. */
const holding = (column: string, parts: readonly string[]): SqlPart => ({
	sql: parts
		.map(part =>
			/[a-z]/.test(part)
				? `strpos(lower(encode(${column}, 'escape') collate "C"), ?) > 0`
				: holds(column, utf8),
		)
		.join(' and '),
	bindings: parts,
});

/** Regular expression for numbers that JavaScript formats differently: with an exponent, with more digits than it keeps, or very small. */
const otherNumber = String.raw`-{0,1}([0-9]+(\.[0-9]+){0,1}[eE]|[0-9.]{16}|0\.0{6})`;

/** The parts of a pattern that occur unbroken in a JSON value: in a string, a number or a word. There may be blanks around them. */
const partsOfValue = (pattern: string): readonly string[] =>
	plainPartsOf(pattern, /[ !#-)+./0-9;-Z^-z|~-]+/g);

/** Escapes a text for a regular expression, in lower case. */
const literal = (text: string): string =>
	text.toLowerCase().replaceAll(/[^a-z0-9]/g, String.raw`\$&`);

/**
 * Regular expression for a body with a field of this name whose value may match: an object, a list, a text with the plain parts of a pattern, or another word or number
 * that begins with them.
 */
function valueExpression(name: string, patterns: readonly string[]): string {
	const any = patterns.map(pattern =>
		plainPartsOf(pattern, /[ !#-)+-[\]-~]+/g)
			.map(literal)
			.join('[^"]*'),
	);
	return `"${literal(name)}"[[:space:]]*:[[:space:]]*([[{]|"[^"]*(${any.join('|')})|-{0,1}(${any.join('|')})|${otherNumber})`;
}

const isName = (name: string): boolean => /^[ !#-[\]-~]+$/.test(name) && !/^\d+$/.test(name);

/** SQL condition: a body contains the names of the path and one of the patterns, which also follows the last name. */
function holdingField(
	column: string,
	{path, patterns = []}: NonNullable<AskedBody['field']>,
): SqlPart {
	const values = patterns.map(partsOfValue);
	const isNarrow = values.length > 0 && values.every(({length}) => length > 0);
	const each = values.map(parts => holding(column, parts));
	const mayBeNumber = values.flat().some(part => /^[-+.\de]+$/.test(part));
	const last = path.at(-1);
	const parts = [
		...path.filter(isName).map(name => ({sql: holds(column, utf8), bindings: [`"${name}"`]})),
		...(isNarrow
			? [
					{
						sql: `(${[
							...each.map(({sql}) => `(${sql})`),
							...(mayBeNumber
								? [`encode(${column}, 'escape') ~ '(^|[:,[[:space:]])${otherNumber}'`]
								: []),
						].join(' or ')})`,
						bindings: each.flatMap(({bindings}) => bindings),
					},
				]
			: []),
		...(isNarrow && last !== undefined && isName(last)
			? [
					{
						sql: `lower(encode(${column}, 'escape') collate "C") ~ ?`,
						bindings: [valueExpression(last, patterns)],
					},
				]
			: []),
	];
	return {
		sql: parts.map(({sql}) => sql).join(' and '),
		bindings: parts.flatMap(({bindings}) => bindings),
	};
}

type PostgresFields = SqlFields & {
	/** What one index contains, so that no row need be read: `fields` are numbers, `texts` the fields contained in `words`. */
	readonly covered?: SqlFields & {readonly texts: ReadonlySet<string>};
};

/** The history of a noun on PostgreSQL. */
type PostgresHistoryOf<Item, Asked> = HistoryOf<Item, Asked> & PostgresFields;

const postgresDeliveries: PostgresHistoryOf<Delivery, FilteredDelivery> = {
	...deliveries,
	fields: {...deliveries.fields, id: `(svc_base36(delivery.id) || ' ' || delivery_id)`},
	...deliveryWords,
	covered: {
		...deliveryWords,
		texts: new Set(['route', 'event', 'outcome', 'id']),
		fields: {status: 'status', ms: 'duration_ms', size: 'body_bytes', since: 'received_at'},
	},
};

const text = (column: string) => `coalesce(${column}, '')`;

/** As in the filter's own text for words. Names of jobs and the content of JSON columns may appear there differently. */
const postgresRuns: PostgresHistoryOf<Run, Run> = {
	...runs,
	columns: runColumns,
	words: `svc_fold('#' || ${[
		'run.id::text',
		'run.route',
		text('coalesce(delivery.event, job_run.event)'),
		text(runSubject),
		'run.state',
		'run.target',
		text('svc_base36(run.delivery)'),
		text('case when run.job is not null then run.job_name end'),
		text('run.job'),
		text('run.error'),
	].join(` || ' ' || `)} || ' ')`,
	unsure: `(run.dropped is not null or run.conversation is not null or ${text('run.job_name')} ~ '[^ -~]')`,
};

const postgresGroups: PostgresHistoryOf<Group, Group> = {
	...groups,
	words: `svc_fold(coalesce_group.route || ' ' || key || ' ' || ${text('delivery.event')} || ' dispatched ' || svc_base36(latest))`,
	unsure: `key ~ '[^ -~]'`,
};

/** The nouns with a history, by name, for PostgreSQL. */
export const postgresNouns: Readonly<Record<HistoryNoun, unknown>> = {
	deliveries: postgresDeliveries,
	runs: postgresRuns,
	groups: postgresGroups,
	approvals,
};

export function narrowingOf(
	conditions: readonly Condition[],
	history: PostgresFields,
	now: number,
): Narrowing {
	const asked = (columns: SqlFields, some = conditions) =>
		sqlOf(some, {columns, now, dialect: postgresDialect});
	const {covered} = history;
	const parts = asked(history);
	const narrow =
		covered &&
		conditions.map(condition =>
			condition.kind === 'text' ? coveredText(condition, covered) : asked(covered, [condition])[0],
		);
	// Tests the index first only if it can test every condition that could be tested on the rows.
	return narrow &&
		conditions.every((one, index) => narrow[index] ?? asked(history, [one])[0] === undefined)
		? {first: narrow.filter(part => part !== undefined), second: parts}
		: {first: parts, second: []};
}

/** Condition for a text field contained in `words`: the plain parts of one of its patterns. Blanks are excluded, since they may differ there. */
function coveredText(
	{field, patterns, isNegated = false}: Extract<Condition, {readonly kind: 'text'}>,
	covered: NonNullable<PostgresFields['covered']>,
): SqlPart | undefined {
	const parts = patterns.map(pattern => plainPartsOf(pattern, /[!#-)+-[\]-~]+/g));
	if (isNegated || !covered.texts.has(field) || parts.some(({length}) => length === 0)) {
		return undefined;
	}

	const each = parts.map(some => holdsAll(covered, some));
	return each.length === 0
		? {sql: 'false', bindings: []}
		: {
				sql: `(${each.map(({sql}) => sql).join(' or ')})`,
				bindings: each.flatMap(({bindings}) => bindings),
			};
}
