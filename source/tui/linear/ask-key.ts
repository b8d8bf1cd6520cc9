import {literal} from '../../terminal/text/safe.ts';
import {onceLines} from '../dialogs/guarded.ts';
import {keyForm, keyShown, offerLines} from '../dialogs/key.ts';
import {formLines} from '../forms/form-lines.ts';
import type {Shell} from '../shell/shell.ts';
import {choiceLines} from './answer.ts';
import {askForm} from './ask-form.ts';
import type {Asked} from './asked.ts';
import {choicesIn} from './choices.ts';
import {exact, spokenLines} from './spoken.ts';

const width = 400;

const words: Readonly<Record<string, string>> = {
	'key.make': 'make',
	'key.first': 'make',
	'key.copy': 'copy',
	'key.kept': 'kept',
	'key.review': 'approvals',
	'key.decline': 'cancel',
	'key.close': 'cancel',
};

/** Cards whose key was read: what scrolls away must not hold it twice. */
const read = new WeakSet<object>();

/** A key of the chat API. */
export function askKey(shell: Shell, card: object): Asked {
	const shown = keyShown.now(shell);
	const choices = choicesIn(shell, 'key', words).map(choice => ({...choice, isExact: true}));
	const form = keyForm.now(shell)?.form;
	if (form) {
		const all = [...choices, ...choicesIn(shell, 'form', {'form.copy': 'copy'})];
		return askForm(shell, form, {
			of: 'key',
			head(out) {
				out.say(literal('A new key for the chat API.'));
			},
			always: choices.filter(({word}) => word === 'cancel'),
			review: {
				of: ['key', form.values],
				prompt: literal('make, or cancel'),
				choices: all,
				read(out) {
					out.read([
						...formLines({...form, index: -1, option: -1}, width).rows.map(exact),
						...choiceLines(all),
					]);
				},
			},
		});
	}

	return {
		of: ['key', card],
		prompt: shown ? literal('kept') : literal('make, or cancel'),
		choices,
		read(out) {
			const lines = !shown
				? spokenLines(offerLines(width))
				: read.has(card)
					? [literal('The key was read once, above; copy puts it on the clipboard.')]
					: spokenLines(onceLines(shown, width));
			read.add(card);
			out.read([...lines, ...choiceLines(choices)]);
		},
	};
}
