/** What an entry of `filters` can ask of a field. @see manual/filters-and-templates.md#filters */
export const payloadOperators = [
	'exists',
	'missing',
	'equals',
	'not_equals',
	'contains',
	'in',
	'in_file',
	'regex',
] as const;
