import type {Safe} from '../../core/untrusted.ts';
import type {KeyScope} from '../acts/command.ts';
import {clean} from '../lines/line.ts';
import {panes} from '../panes/panes.ts';

const titles: Readonly<Record<KeyScope, string>> = {
	global: 'Everywhere',
	banner: 'While its banner is shown',
	field: 'In a filter or a search',
	palette: 'Palette',
	help: 'Help',
	menu: 'Menu',
	confirm: 'Question',
	states: 'States',
	quit: 'Leaving',
	'first-run': 'First start',
	approval: 'Approval sheet',
	'approval-text': 'Approval sheet, while typing',
	form: 'Form',
	'form-text': 'Form, while typing',
	install: 'Install link',
	'install-text': 'Install link, while typing',
	'install-link': 'Pasting an install link',
	'login-paste': 'Pasting the URL of a login',
	'type-name': 'Typing a name',
	trial: 'Trying a tool',
	setup: 'Setting up the receiver',
	key: 'A key of the chat API',
	answer: 'Answer of a tool',
};

const all = new Map<string, string>([
	...panes.flatMap(({sections}) => sections.map(({id, title}): [string, string] => [id, title])),
	...Object.entries(titles),
]);

/** The name of a scope for a person. */
export const scopeTitle = (scope: string): Safe => clean(all.get(scope) ?? scope);
