import type {Command} from 'commander';
import {SvcError} from '../../core/errors.ts';
import type {Context} from '../console/context.ts';
import {numberOption} from '../console/options.ts';
import {printTable} from '../console/print-table.ts';
import {printJson, printLines} from '../console/print.ts';
import {openHome} from '../home/open-home.ts';

type Json = {readonly json?: boolean};

const limit = numberOption(1, 1000);

/** `svc sessions list|show|search|delete`. @see manual/chat-api.md#sessions */
export function addSessionCommands(program: Command, context: Context): void {
	const group = program
		.command('sessions')
		.description('conversations of the chat API and of the interface that are kept');
	group
		.command('list')
		.description('list sessions, last used first')
		.option('--limit <n>', 'at most this many (1 to 1000)', limit, 50)
		.option('--json', 'print JSON')
		.action(async ({json, ...filter}: Json & {readonly limit: number}) => {
			await using home = await openHome(context, 'read');
			const found = await home.listSessions(filter);
			if (json) {
				printJson(context, found);
				return;
			}

			const {sessionTable} = await import('../sessions/describe-sessions.ts');
			await printTable(context, sessionTable(found));
		});

	group
		.command('show')
		.description('show what was said in a session')
		.argument('<session>', 'its identifier')
		.option('--json', 'print JSON')
		.action(async (id: string, {json}: Json) => {
			await using home = await openHome(context, 'read');
			const found = await home.getSession(id);
			if (!found) {
				throw notFound('show', id);
			}

			if (json) {
				printJson(context, found);
				return;
			}

			const {describeSession} = await import('../sessions/describe-sessions.ts');
			printLines(context, describeSession(found));
		});

	group
		.command('search')
		.description(
			'find messages that have all of these words, each from its beginning; newest first',
		)
		.argument('<words...>', 'what to look for')
		.option('--limit <n>', 'at most this many (1 to 1000)', limit, 50)
		.option('--json', 'print JSON')
		.action(async (words: readonly string[], {json, ...more}: Json & {readonly limit: number}) => {
			await using home = await openHome(context, 'read');
			const found = await home.searchSessions({text: words.join(' '), ...more});
			if (json) {
				printJson(context, found);
				return;
			}

			const {matchTable} = await import('../sessions/describe-sessions.ts');
			await printTable(context, matchTable(found));
		});

	group
		.command('delete')
		.description('forget a session and all that was said in it')
		.argument('<session>', 'its identifier')
		.option('--json', 'print JSON')
		.action(async (id: string, {json}: Json) => {
			await using home = await openHome(context, 'write');
			if (!(await home.deleteSession(id))) {
				throw notFound('delete', id);
			}

			if (json) {
				printJson(context, {id});
			} else {
				printLines(context, [`Deleted session ${id}`]);
			}
		});
}

const notFound = (act: string, id: string): SvcError =>
	new SvcError(
		'session_not_found',
		`Cannot ${act} "${id.slice(0, 100)}": no session has that identifier, see "svc sessions list"`,
	);
