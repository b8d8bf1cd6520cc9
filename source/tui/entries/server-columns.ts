import type {ServerStatus, ServerView} from '../../core/tool-server.ts';
import type {Safe} from '../../core/untrusted.ts';
import {fit} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {ageText} from '../../terminal/text/time.ts';
import {clean, type Line} from '../lines/line.ts';
import type {Tone} from '../theme/theme.ts';
import {serverName} from './server-key.ts';

/** Each state with its sign: never the colour alone. */
export const serverWords: Readonly<
	Record<ServerStatus, {readonly text: Safe; readonly tone: Tone}>
> = {
	skipped: {text: literal('- skipped'), tone: 'quiet'},
	lazy: {text: literal('○ lazy'), tone: 'quiet'},
	connecting: {text: literal('◐ connecting'), tone: 'accent'},
	connected: {text: literal('● connected'), tone: 'good'},
	'needs login': {text: literal('! needs login'), tone: 'warn'},
	failed: {text: literal('✗ failed'), tone: 'bad'},
	parked: {text: literal('✗ parked'), tone: 'bad'},
	recycled: {text: literal('○ recycled'), tone: 'quiet'},
};

/** Whether a server stands still until a person does something. */
export const needsPerson = ({status}: Pick<ServerView, 'status'>): boolean =>
	status === 'needs login' || status === 'parked' || status === 'failed';

export type ServerColumns = {readonly name: number; readonly tools: number; readonly trust: number};

const transportCells = 9;
const stateCells = 18;
const fixed = 3 + transportCells + stateCells + 4;

/** How `width` cells are shared. */
export function serverColumns(width: number): ServerColumns {
	const trust = 9;
	const tools = 9;
	return {name: Math.max(8, Math.min(28, width - fixed - trust - tools)), tools, trust};
}

/** The names of the columns. */
export const serverHeader = ({name, tools, trust}: ServerColumns): Safe =>
	safe`   ${fit(literal('server'), name)} ${fit(literal('transport'), transportCells)} ${fit(literal('state'), stateCells)} ${fit(literal('tools'), tools)} ${fit(literal('trust'), trust)}`;

/** One server as one row. */
export function serverRow(
	server: ServerView,
	{columns, now}: {readonly columns: ServerColumns; readonly now: number},
	isSelected: boolean,
): Line {
	const word = serverWords[server.status];
	const age = server.status === 'skipped' ? literal('') : ageText(now - server.since);
	const changed = server.tools.some(tool => tool.changed);
	return [
		{text: isSelected ? literal('>') : literal(' '), tone: 'accent'},
		{text: needsPerson(server) || changed ? literal('! ') : literal('  '), tone: 'warn'},
		{
			text: safe`${fit(clean(serverName(server)), columns.name)} ${fit(clean(server.transport), transportCells)} `,
			tone: isSelected ? 'selected' : 'plain',
		},
		{text: fit(safe`${word.text} ${age}`, stateCells), tone: word.tone},
		{
			text: safe` ${fit(toolsText(server), columns.tools)} ${fit(clean(server.status === 'skipped' ? 'disabled' : server.trust), columns.trust)}`,
			tone: 'quiet',
		},
	];
}

/** `14 of 38`, where a filter or the model's bounds leave some out. */
function toolsText({tools, offered}: ServerView): Safe {
	if (tools.length === 0 && offered === 0) {
		return literal('-');
	}

	return offered > tools.length ? safe`${tools.length} of ${offered}` : safe`${tools.length}`;
}

/** What stands under the row of a server that is not connected; the row has its name already. */
export function reasonRow(
	{name, reason, nextAttemptAt}: ServerView,
	now: number,
): Line | undefined {
	if (reason === undefined) {
		return undefined;
	}

	const next =
		nextAttemptAt === undefined || nextAttemptAt <= now
			? literal('')
			: safe` · again in ${ageText(nextAttemptAt - now)}`;
	const why = reason.replace(`MCP server '${name}': `, '');
	return [{text: safe`      ${clean(why)}${next}`, tone: 'quiet'}];
}

/** Rows that reasons take of a list of `height` rows: at most half, one for each server that says one. */
export const reasonRows = (servers: readonly ServerView[], height: number): number =>
	Math.min(servers.filter(({reason}) => reason !== undefined).length, Math.floor(height / 2));
