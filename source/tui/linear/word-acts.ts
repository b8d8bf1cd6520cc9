import type {Safe} from '../../core/untrusted.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {whyNot, type Command} from '../acts/command.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {statusLine} from '../shell/status-line.ts';
import {foundEntries} from './find-command.ts';
import {goTo, type Speech} from './speech.ts';
import {spoken, spokenLines} from './spoken.ts';

/** Of what fits some words. */
const entriesAtOnce = 12;

export function readPanes(speech: Speech): void {
	const {shell, out, number} = speech;
	const {state} = shell.feed.get();
	shell.panes.forEach(({id, title, count}, index) => {
		const items = count?.(state) ?? 0;
		const isOpen = id === shell.pane().id;
		out.say(
			safe`${index + 1}. ${title}${items > 0 ? safe`, ${items}` : empty}${isOpen ? literal(', here') : empty}`,
		);
	});
	number(index => {
		const pane = shell.panes[index];
		if (pane) {
			goTo(speech, pane.id);
		}
	});
}

const commandText = (shell: Shell, command: Command): Safe => {
	const {keys, label, aliases = []} = command;
	const reason = whyNot(command, shell);
	const key = keys[0] ?? aliases[0];
	return safe`${label}${key === undefined ? empty : safe` (${clean(key)})`}${reason ? safe`, not now: ${reason}` : empty}`;
};

export function readCommands(speech: Speech, list: ReadonlyArray<Command>): void {
	const {shell, out, number, perform} = speech;
	out.read(list.map((command, index) => safe`${index + 1}. ${commandText(shell, command)}`));
	number(index => {
		const command = list[index];
		if (command) {
			perform(command);
		}
	});
}

export function readPalette(speech: Speech, query: string): void {
	const {shell, out, number} = speech;
	const entries = foundEntries(shell, query).slice(0, entriesAtOnce);
	if (entries.length === 0) {
		out.say(safe`Nothing fits ${clean(query)}.`);
		return;
	}

	entries.forEach(({label, place, why}, index) => {
		out.say(safe`${index + 1}. ${label}, ${place}${why ? safe`, not now: ${why}` : empty}`);
	});
	number(index => {
		const entry = entries[index];
		if (entry?.why) {
			out.say(safe`Not now: ${entry.why}`);
		} else {
			entry?.run();
			speech.reader.announceRow();
		}
	});
}

export function readStatus({shell, out}: Speech): void {
	const {state} = shell.feed.get();
	const {gateway, webhook} = state;
	out.say(
		spoken(
			statusLine(
				shell.feed.get(),
				{version: shell.version, isReadOnly: shell.port.isReadOnly === true, isRead: true},
				400,
			),
		),
	);
	out.say(
		webhook.state === 'listening'
			? safe`Webhooks are received at ${clean(webhook.url)}.`
			: safe`Receiver: ${clean(webhook.state)}.`,
	);
	out.say(
		shell.port.embedded
			? safe`The gateway runs in this process, ${gateway.pid}.`
			: safe`Attached to the gateway of process ${gateway.pid}.`,
	);
	for (const line of spokenLines(shell.banners())) {
		out.say(line);
	}
}
