import {isJsonObject} from '../../core/json.ts';
import {themeNames, type ThemeName} from '../theme/theme.ts';

/** What is saved between sessions; never payloads or secrets. */
export type SavedState = {
	/** `Pane.id`. */
	readonly pane?: string;
	readonly theme?: ThemeName;
	/** The filters of lists, by source id. */
	readonly filters?: Readonly<Record<string, string>>;
	/** The offer of a first key for the chat API was declined. */
	readonly declinedKey?: boolean;
};

/** Longer filters are not restored. */
const maxFilterLength = 1000;

/** Validates a saved state. Another version or a person may have written it: values of the wrong type, and panes or lists that are not in `known`, are left out. */
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
