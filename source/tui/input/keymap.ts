import type {KeyBinding} from './key-router.ts';

type Row = Pick<KeyBinding, 'keys' | 'id' | 'label' | 'scope'>;

/**
 * Keys that two bindings of one scope claim at once, as sentences; empty when the table is sound. Bindings with a `when` may
 * share a key.
 */
export function keyConflicts(bindings: ReadonlyArray<KeyBinding<never>>): readonly string[] {
	const owners = new Map<string, string>();
	const conflicts: string[] = [];
	for (const {keys, id, scope, when} of bindings) {
		for (const key of when ? [] : keys) {
			const place = `${scope} ${key}`;
			const owner = owners.get(place);
			if (owner !== undefined) {
				conflicts.push(`Key "${key}" of scope "${scope}" is bound to "${owner}" and to "${id}"`);
			}

			owners.set(place, id);
		}
	}

	return conflicts;
}

/** The table as Markdown, one section for each scope in order of first appearance; for `svc keymap`. */
export function keymapMarkdown(bindings: readonly Row[]): string {
	const sections = [...Map.groupBy(bindings, ({scope}) => scope)].map(([scope, rows]) =>
		[
			`## ${scope}`,
			'',
			'| Key | Act | Command |',
			'| - | - | - |',
			...rows.map(
				({keys, label, id}) =>
					`| ${keys.map(key => codeSpan(key)).join(', ')} | ${escapeCell(label)} | ${codeSpan(id)} |`,
			),
			'',
		].join('\n'),
	);

	return ['# Keys', '', ...sections].join('\n');
}

const escapeCell = (text: string) => text.replaceAll(/[\\|<]/g, String.raw`\$&`);

const codeSpan = (text: string) =>
	text.includes('`') ? `\`\` ${text} \`\`` : `\`${text.replaceAll('|', String.raw`\|`)}\``;
