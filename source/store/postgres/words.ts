import type {SqlFields, SqlPart} from '../history/sql-conditions.ts';

/** Part of the schema. In `svc_fold` a text has the small letters of ASCII wherever `toLowerCase` gives it one, and others where it gives others. `svc_base36` is the identifier of a number. */
export const wordFunctions = String.raw`create function svc_fold(value text) returns text language sql immutable strict parallel safe as $$
		select lower(replace(replace(value, U&'\212A', 'k'), U&'\0130', U&'i\0307') collate "C")
	$$;
	create function svc_base36(value bigint) returns text language sql immutable strict parallel safe as $$
		select ltrim(${[10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map(place => `substr('0123456789abcdefghijklmnopqrstuvwxyz', (value / ${36 ** place} % 36)::integer + 1, 1)`).join(' || ')}, '0')
	$$;`;

/** Characters of `delivery.words`: a text of this length may have been cut. */
const maxWords = 500;

/** The column `delivery.words`. */
export const wordsOfDelivery = `left(svc_fold(
			svc_base36(id) || chr(10) || profile || chr(10) || route || chr(10) || event || chr(10) || coalesce(subject, '') || chr(10) || delivery_id || chr(10) || status::text || ' ' || outcome
			|| case when trace like '%"stop"%' then chr(10) || trace else '' end
		), ${maxWords})`;

/** Where free words of deliveries are looked for. */
export const deliveryWords = {
	words: 'delivery.words',
	unsure: `length(delivery.words) >= ${maxWords}`,
} as const;

/** Parts of a text in printable letters of ASCII that JSON writes as they are: each stands in whatever holds the text. */
export const plainPartsOf = (text: string, letters = /[ !#-[\]-~]+/g): readonly string[] =>
	text.match(letters) ?? [];

/** All of `parts` stand in `words`, or these may lack something. */
export const holdsAll = (
	{words = "''", unsure = 'false'}: Pick<SqlFields, 'words' | 'unsure'>,
	parts: readonly string[],
): SqlPart => ({
	sql: `(${parts.map(() => `strpos(${words}, ?) > 0`).join(' and ')} or ${unsure})`,
	bindings: parts,
});
