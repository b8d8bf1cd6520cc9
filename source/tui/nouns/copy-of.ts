import type {Copied, Noun} from '../../nouns/noun.ts';
import {safe} from '../../terminal/text/safe.ts';
import {copyText} from '../acts/copy.ts';
import {openMenu} from '../dialogs/questions.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';

/** Copies what there is to be copied of `item`, or offers it where that is more than one text. */
export function copyOf<Item>(
	shell: Shell,
	{copies, name, one}: Pick<Noun<Item>, 'copies' | 'name' | 'one'>,
	item: Item,
): void {
	const copy = ({label, text}: Copied) => {
		shell.attempt(async () => {
			const found = typeof text === 'string' ? text : await text(shell.port);
			if (found === undefined) {
				shell.toast(safe`That ${clean(one)} is no longer stored`, 'warn');
			} else {
				await copyText(shell, found, clean(label));
			}
		});
	};

	const all = copies?.of(item, shell.port.getState()) ?? [];
	if ('text' in all) {
		copy(all);
		return;
	}

	openMenu(shell, {
		title: safe`Copy of ${clean(name(item))}`,
		notes: (copies?.notes ?? []).map(clean),
		items: all.map(text => ({
			key: text.key,
			label: clean(text.label),
			run() {
				copy(text);
			},
		})),
	});
}
