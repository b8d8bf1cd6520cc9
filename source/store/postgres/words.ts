import type {SqlFields, SqlPart} from '../history/sql-conditions.ts';

/** Part of the schema. `svc_fold` agrees with `toLowerCase` on which letters become ASCII letters. `svc_base36` is the identifier for a number. */
export const wordFunctions = String.raw`create function svc_fold(value text) returns text language sql immutable strict parallel safe as $$
		select lower(replace(replace(value, U&'\212A', 'k'), U&'\0130', U&'i\0307') collate "C")
	$$;
	create function svc_base36(value bigint) returns text language sql immutable strict parallel safe as $$
		select ltrim(${[10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map(place => `substr('0123456789abcdefghijklmnopqrstuvwxyz', (value / ${36 ** place} % 36)::integer + 1, 1)`).join(' || ')}, '0')
	$$;`;

/** Maximum length of `delivery.words`, characters: a text of this length may be cut. */
const maxWords = 500;

/** SQL for the content of the column `delivery.words`. */
export const wordsOfDelivery = `left(svc_fold(
			svc_base36(id) || chr(10) || profile || chr(10) || route || chr(10) || event || chr(10) || coalesce(subject, '') || chr(10) || delivery_id || chr(10) || status::text || ' ' || outcome
			|| case when trace like '%"stop"%' then chr(10) || trace else '' end
		), ${maxWords})`;

/** Where filters search free words of deliveries. */
export const deliveryWords = {
	words: 'delivery.words',
	unsure: `length(delivery.words) >= ${maxWords}`,
} as const;

/** The parts of a text in printable ASCII that JSON does not escape: each occurs in anything that contains the text. */
export const plainPartsOf = (text: string, letters = /[ !#-[\]-~]+/g): readonly string[] =>
	text.match(letters) ?? [];

/** SQL condition: `words` contains all of `parts`, or may lack something. */
export const holdsAll = (
	{words = "''", unsure = 'false'}: Pick<SqlFields, 'words' | 'unsure'>,
	parts: readonly string[],
): SqlPart => ({
	sql: `(${parts.map(() => `strpos(${words}, ?) > 0`).join(' and ')} or ${unsure})`,
	bindings: parts,
});
