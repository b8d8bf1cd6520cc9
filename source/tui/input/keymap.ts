import type {KeyBinding} from './key-router.ts';

type Row = Pick<KeyBinding, 'keys' | 'id' | 'label' | 'scope'>;

/** The table as Markdown, one section for each scope in order of first appearance, under its title; for `svc keymap`. */
export function bindingsMarkdown(
	bindings: readonly Row[],
	titleOf: (scope: string) => string,
): string {
	const sections = [...Map.groupBy(bindings, ({scope}) => scope)].map(([scope, rows]) =>
		[
			`## ${titleOf(scope)}`,
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
