import type {JsonObject, JsonValue} from '../../core/json.ts';
import type {RouteField} from '../../core/route-editor.ts';

/** Settings of which each member has a row of its own. One alone may stand without its list. */
const listSettings: ReadonlySet<string> = new Set(['secret', 'filters']);

/** Chosen among names where a mapping is to be written out. */
export const custom = 'custom';

/** The row that adds one. */
export const addKey = '+';

/** Whether a path is that of a member of such a list, or of the row that adds one. */
export const isMember = ([key = '', ...rest]: readonly string[]): boolean =>
	rest.length === 1 && listSettings.has(key);

/** What stands in a list, also in one that is written as its only member. */
export const membersOf = (value: JsonValue | undefined): readonly JsonValue[] =>
	value === undefined || value === null ? [] : [value].flat();

/** A list with another member, one more, or without that one; `undefined`: nothing is left. */
export function withMember(
	list: JsonValue | undefined,
	at: string,
	value: JsonValue | undefined,
): JsonValue | undefined {
	const members = membersOf(list);
	const index = at === addKey ? members.length : Number(at);
	const next = members.toSpliced(index, 1, ...(value === undefined ? [] : [value]));
	const [only] = next;
	const wasAlone = list !== undefined && !Array.isArray(list);
	return next.length > 1 || (typeof only === 'object' && !wasAlone) ? next : only;
}

/** The fields with a row for each member of a list, and without those whose mapping is not written out. */
export const rowsOfSettings = (
	fields: readonly RouteField[],
	definition: JsonObject,
): readonly RouteField[] =>
	fields.flatMap((field): readonly RouteField[] => {
		const {path} = field;
		const [key = ''] = path;
		const value = definition[key];
		if (field.inMapping === true) {
			return typeof value === 'object' && value !== null ? [field] : [];
		}

		if (fields.some(other => other.inMapping === true && other.path[0] === key)) {
			return [{...field, kind: 'choice', options: [...(field.options ?? []), custom]}];
		}

		if (path.length !== 1 || !listSettings.has(key)) {
			return [field];
		}

		const {default: _, ...member} = field;
		return [...membersOf(value).keys().map(String), addKey].map(at => ({
			...member,
			kind: field.secret === true ? ('texts' as const) : ('text' as const),
			path: [key, at],
		}));
	});
