import type {Safe} from '../../core/untrusted.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';

/**
 * One line of the key table. Routing, help, footer, palette and `svc keymap` all read this, so they cannot disagree.
 *
 * `Context` is whatever the shell decides availability by (its view state).
 */
export type KeyBinding<Context = unknown> = {
	/** `KeyEvent.id`s; the first is the one that is shown. */
	readonly keys: readonly [string, ...string[]];
	/** Stable name of the command: `traffic.replay`. */
	readonly id: string;
	/** Two or three words for a person: `replay (asks)`. */
	readonly label: Safe;
	/** Where it holds: `global`, a pane, an overlay. */
	readonly scope: string;
	/** Whether the command can be used now; always when absent. A binding that is off does not take its key. */
	readonly when?: (context: Context) => boolean;
	/** In help and palette, but not in the footer, or not there now. */
	readonly quiet?: boolean | ((context: Context) => boolean);
};

export type RouteOptions<Context> = {
	/** Innermost first: `['palette']`, `['detail', 'traffic', 'global']`. What is not named is not asked. */
	readonly scopes: readonly string[];
	/** Whether a text field has the focus: its keys (printable ones, `left`, `right`, `backspace`…) are then bound to nothing. */
	readonly textFocused: boolean;
	readonly context: Context;
};

export type KeyRouter<Context> = {
	/** The binding that takes `key`: of the innermost scope that has it; `undefined` when none does. */
	route(
		key: Pick<KeyEvent, 'id' | 'text'>,
		options: RouteOptions<Context>,
	): KeyBinding<Context> | undefined;
	/** What can be used now, innermost scope first, in the order of the table; for footer and help. */
	available(options: RouteOptions<Context>): ReadonlyArray<KeyBinding<Context>>;
};

const fieldKeys: ReadonlySet<string> = new Set(
	'space left right home end backspace delete ctrl+a ctrl+e ctrl+u ctrl+w'.split(' '),
);

const belongsToField = (key: string) => fieldKeys.has(key) || !/^.+\+.|^[a-z0-9]{2,}$/u.test(key);

/** A router over one table of bindings. Pure. */
export function createKeyRouter<Context>(
	bindings: ReadonlyArray<KeyBinding<Context>>,
): KeyRouter<Context> {
	const tables = Map.groupBy(bindings, ({scope}) => scope);
	const inScopes = function* ({scopes, context}: RouteOptions<Context>) {
		for (const scope of scopes) {
			for (const binding of tables.get(scope) ?? []) {
				if (binding.when?.(context) ?? true) {
					yield binding;
				}
			}
		}
	};

	return {
		route(key, options) {
			if (options.textFocused && (key.text !== '' || belongsToField(key.id))) {
				return undefined;
			}

			return inScopes(options).find(binding => binding.keys.includes(key.id));
		},
		available(options) {
			const taken = new Set<string>();
			const result: Array<KeyBinding<Context>> = [];
			for (const binding of inScopes(options)) {
				const free = binding.keys.filter(
					key => !taken.has(key) && !(options.textFocused && belongsToField(key)),
				);
				if (free.length > 0) {
					result.push(binding);
				}

				for (const key of binding.keys) {
					taken.add(key);
				}
			}

			return result;
		},
	};
}
