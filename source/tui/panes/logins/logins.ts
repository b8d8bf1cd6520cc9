import {literal} from '../../../terminal/text/safe.ts';
import {Empty} from '../../view/empty.tsx';
import type {Pane} from '../pane.ts';

/** What will show the codes of tool servers that want a login. */
export const loginsPane: Pane = {
	id: 'logins',
	title: literal('Logins'),
	short: literal('Auth'),
	manual: 'tool-servers',
	count: undefined,
	empty: () => [
		'No login is waiting.',
		'Codes for tool servers that want a login will be shown here, to be copied with one key.',
	],
	Body: Empty,
	isWide: true,
	sections: [{id: 'logins', title: literal('Logins'), commands: [], listing: undefined}],
	summary: () => [],
};
