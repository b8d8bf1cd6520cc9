import {escapeLine} from '../../core/untrusted.ts';
import type {Copied, Noun} from '../../nouns/noun.ts';
import {safe} from '../../terminal/text/safe.ts';
import {copyText} from '../acts/copy.ts';
import {openMenu} from '../dialogs/questions.ts';
import type {Shell} from '../shell/shell.ts';

/** Copies what there is to be copied of `item`, or offers it where that is more than one text. */
export function copyOf<Item>(
	shell: Shell,
	{copies, name, one}: Pick<Noun<Item>, 'copies' | 'name' | 'one'>,
	item: Item,
): void {
	const copy = ({label, text}: Copied) =>
		shell.attempt(async () => {
			const found = typeof text === 'string' ? text : await text(shell.port);
			if (found === undefined) {
				shell.toast(safe`That ${escapeLine(one)} is no longer stored`, 'warn');
			} else {
				await copyText(shell, found, escapeLine(label));
			}
		});

	const all = copies?.of(item, shell.port.getState()) ?? [];
	if ('text' in all) {
		copy(all);
		return;
	}

	openMenu(shell, {
		title: safe`Copy of ${escapeLine(name(item))}`,
		notes: (copies?.notes ?? []).map(text => escapeLine(text)),
		items: all.map(text => ({key: text.key, label: escapeLine(text.label), run: () => copy(text)})),
	});
}
