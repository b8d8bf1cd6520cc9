import {isJsonObject} from '../../core/json.ts';
import {themeNames, type ThemeName} from '../theme/theme.ts';

/** What is kept from one start to the next; never payloads or secrets. */
export type SavedState = {
	/** `Pane.id`. */
	readonly pane?: string;
	readonly theme?: ThemeName;
	/** What lists are filtered by, by the id of their source. */
	readonly filters?: Readonly<Record<string, string>>;
	/** The first key of the chat API was offered, and not wanted. */
	readonly declinedKey?: boolean;
};

/** Characters of a filter that are taken back. */
const maxFilterLength = 1000;

/**
 * What a file holds of it. Another version may have written the file, or a person: what is not of the right type is left out, and so is a
 * pane or a list that is not among `known`.
 */
export function readSavedState(
	value: unknown,
	known: {readonly panes: readonly string[]; readonly lists: readonly string[]},
): SavedState {
	if (!isJsonObject(value)) {
		return {};
	}

	const pane = known.panes.find(id => id === value['pane']);
	const theme = themeNames.find(name => name === value['theme']);
	const filters = isJsonObject(value['filters']) ? value['filters'] : {};
	return {
		...(pane !== undefined && {pane}),
		...(theme && {theme}),
		...(value['declinedKey'] === true && {declinedKey: true}),
		filters: Object.fromEntries(
			known.lists.flatMap(id => {
				const filter = Object.hasOwn(filters, id) ? filters[id] : undefined;
				return typeof filter === 'string' && filter.length <= maxFilterLength ? [[id, filter]] : [];
			}),
		),
	};
}
