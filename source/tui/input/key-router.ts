import type {Safe} from '../../core/untrusted.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';

/**
 * One line of the key table. Routing, help, footer, palette and `svc keymap` all read it, so they cannot disagree.
 *
 * `Context` is what `when` decides by (the shell).
 */
export type KeyBinding<Context = unknown> = {
	/** `KeyEvent.id`s; the first one is displayed. */
	readonly keys: readonly [string, ...string[]];
	/** Stable name of the command: `traffic.replay`. */
	readonly id: string;
	/** Two or three words for display: `replay (asks)`. */
	readonly label: Safe;
	/** Where the key holds: `global`, a pane, an overlay. */
	readonly scope: string;
	/** Whether the command is available; absent: always. An unavailable command does not take its key. */
	readonly when?: (context: Context) => boolean;
	/** Listed in help and palette, but not in the footer, or not there now. */
	readonly quiet?: boolean | ((context: Context) => boolean);
};

export type RouteOptions<Context> = {
	/** Innermost first: `['palette']`, `['detail', 'traffic', 'global']`. Keys of other scopes do not hold. */
	readonly scopes: readonly string[];
	/** Whether a text field is focused: its keys (printable ones, `left`, `right`, `backspace`…) then reach no command. */
	readonly textFocused: boolean;
	readonly context: Context;
};

export type KeyRouter<Context> = {
	/** The binding that takes `key`, from the innermost scope that has it; `undefined` if none does. */
	route(
		key: Pick<KeyEvent, 'id' | 'text'>,
		options: RouteOptions<Context>,
	): KeyBinding<Context> | undefined;
	/** The available bindings, innermost scope first, in the order of the table; for footer and help. */
	available(options: RouteOptions<Context>): ReadonlyArray<KeyBinding<Context>>;
};

const fieldKeys: ReadonlySet<string> = new Set(
	'space left right home end backspace delete ctrl+a ctrl+e ctrl+u ctrl+w'.split(' '),
);

const belongsToField = (key: string) => fieldKeys.has(key) || !/^.+\+.|^[a-z0-9]{2,}$/u.test(key);

/** Makes a router over one table of bindings. Pure. */
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
