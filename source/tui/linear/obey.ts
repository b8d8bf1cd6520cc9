import {nearestName} from '../../core/nearest-name.ts';
import type {Safe} from '../../core/untrusted.ts';
import {safe} from '../../terminal/text/safe.ts';
import {openPane} from '../acts/navigate.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import type {Typed} from './asked.ts';
import {commandNamed, elsewhere} from './find-command.ts';
import {goTo, paneNamed, type Speech} from './speech.ts';
import {words} from './words.ts';

/** Does what a line says where nothing is asked. */
export function obey(speech: Speech, text: string, typed: Typed): void {
	const {shell, reader, out} = speech;
	const [, first = '', after = ''] = /^(\S+)\s*(.*)$/s.exec(text) ?? [];
	const word = words.find(({names}) => names.includes(first.toLowerCase()));
	if (word && (after === '' || word.shape !== undefined || first === 'do')) {
		word.run(speech, after.trim());
		return;
	}

	if (/^#?\d{1,6}$/.test(text)) {
		const number = Number(text.replace('#', ''));
		if (speech.choose(number - 1)) {
			return;
		}

		if (reader.open(number)) {
			speech.readDetail();
		} else {
			out.say(safe`There is no row ${number}: say list.`);
		}

		return;
	}

	const command = commandNamed(shell, text);
	if (command) {
		speech.perform(command, typed);
		return;
	}

	const pane = paneNamed(shell, text);
	if (pane !== undefined) {
		goTo(speech, pane);
		return;
	}

	const section = sectionNamed(shell, text);
	const entry = section ? undefined : elsewhere(shell, text);
	if (section) {
		section();
		speech.number(undefined);
		reader.list();
	} else if (entry) {
		const from = shell.pane();
		entry.run();
		if (shell.pane() !== from && !shell.view.get().overlay) {
			reader.list();
		}
	} else {
		out.say(nonsense(shell, text));
	}
}

/** A part of a pane by its title: the jobs under the groups. */
function sectionNamed(shell: Shell, text: string): (() => void) | undefined {
	const wanted = text.toLowerCase();
	for (const pane of shell.panes) {
		const section = pane.sections.find(
			({title, listing}) => listing && title.toLowerCase() === wanted,
		);
		if (section) {
			return () => {
				openPane(shell, pane.id);
				pane.focus?.choose(shell, section);
			};
		}
	}

	return undefined;
}

function nonsense(shell: Shell, text: string): Safe {
	const known = [
		...words.flatMap(({names}) => names),
		...shell.panes.map(({title}) => title),
		...shell.section().commands.map(({label}) => label),
	];
	const near = nearestName(text, known);
	return near === undefined
		? safe`"${clean(text)}" means nothing here. Say help, do, list, or the name of a pane.`
		: safe`"${clean(text)}" means nothing here. Did you mean "${clean(near)}"?`;
}
