import {existsSync, statSync} from 'node:fs';
import {readKeys} from '../../../api/keys/key-usage.ts';
import {isShared} from '../../../config/store-place.ts';
import {messageOf} from '../../../core/errors.ts';
import {asWord} from '../../../core/shell-words.ts';
import {immutableDatabaseUrl} from '../../../store/database-file.ts';
import {readStore} from '../../../store/open-store.ts';
import type {StoreReader} from '../../../store/reader-port.ts';
import {type Check, type CheckResult, failed, ok, warning, runProgram} from './check.ts';

const limitMs = 8000;

/** Run by a separate Node, with the URL of the file. */
const program = `
	const {DatabaseSync} = require('node:sqlite');
	const database = new DatabaseSync(new URL(process.argv[1]), {readOnly: true, timeout: 2000});
	const rows = database.prepare('pragma quick_check(5)').all();
	process.stdout.write(rows.map(row => Object.values(row)[0]).join('; '));
`;

/** Whether the journal is intact, by SQLite's `quick_check`: in a child process, because a call of SQLite cannot be interrupted. */
export const journal: Check = {
	subject: 'journal',
	async look({paths: {stateDb}, config, context}, signal) {
		if (config && isShared(config.gateway)) {
			return ok('it is in a database, see "store"');
		}

		if (!existsSync(stateDb)) {
			return ok('there is none yet');
		}

		const url = immutableDatabaseUrl(stateDb).href;
		const exit = await runProgram([process.execPath, '--no-warnings', '-e', program, '--', url], {
			clock: context.clock,
			timeoutMs: limitMs,
			signal,
		});
		const size = `${Math.ceil(statSync(stateDb).size / 1024 ** 2)} MiB`;
		if (exit.kind === 'timeout' || exit.kind === 'aborted') {
			return warning(
				`${stateDb} (${size}) was not looked through within ${limitMs / 1000} s`,
				`sqlite3 -readonly ${asWord(stateDb)} "pragma quick_check"`,
			);
		}

		if (exit.kind === 'exited' && exit.code === 0 && exit.stdout.trim() === 'ok') {
			const found = await lookAtParts(stateDb, context.clock.now());
			return found.length > 0 ? found : ok(`${stateDb} is whole (${size})`);
		}

		const said = exit.kind === 'exited' ? exit.stdout.trim() || reasonIn(exit.stderr) : exit.kind;
		return failed(
			`${stateDb} is damaged or cannot be read: ${said}`,
			'svc gateway stop; move the file away, or restore a backup: svc help backup',
		);
	},
};

/** What is read when a gateway starts or a list is shown. A file that SQLite finds intact may contain values that svc cannot read. */
const parts: ReadonlyArray<{
	readonly name: string;
	readonly read: (reader: StoreReader) => Promise<unknown>;
}> = [
	{name: 'deliveries', read: async ({journal: deliveries}) => deliveries.list({limit: shown})},
	{name: 'runs', read: async ({runs}) => runs.list({limit: shown})},
	{name: 'groups', read: async ({groups}) => groups.list({limit: shown})},
	{name: 'jobs', read: async ({jobs}) => jobs.list()},
	{name: 'approvals', read: async ({approvals}) => approvals.settled({limit: shown})},
	{name: 'rules of approvals', read: async ({approvals}) => approvals.rules()},
	{name: 'sessions', read: async ({sessions}) => sessions.list({limit: shown})},
];

const shown = 100;

/** Empty if everything can be read. */
async function lookAtParts(file: string, now: number): Promise<readonly CheckResult[]> {
	const found: CheckResult[] = [];
	const sqlite = (statement: string) => `sqlite3 ${asWord(file)} "${statement}"`;
	const broken = new Map<string, string[]>();
	await using reader = await readStore(
		{file},
		{
			leavesNothing: true,
			onBroken({table, id}) {
				broken.set(table, [...(broken.get(table) ?? []), id]);
			},
		},
	);
	try {
		const [, days] = await readKeys(reader.keys, now);
		const wrong = days.filter(({inputTokens, outputTokens}) =>
			[inputTokens, outputTokens].includes(Number.MAX_SAFE_INTEGER),
		);
		if (wrong.length > 0) {
			const keys = [...new Set(wrong.map(({id}) => id))];
			found.push(
				warning(
					`a model's server counted more tokens than there can be for ${keys.slice(0, 3).join(', ')}: a budget of ${keys.length === 1 ? 'it' : 'theirs'} counts as spent until its time is over`,
					'svc gateway stop; '.concat(
						sqlite(
							`update api_key_use set input = 0, output = 0 where max(input, output) >= ${Number.MAX_SAFE_INTEGER}`,
						),
					),
				),
			);
		}
	} catch (error) {
		found.push(
			failed(
				messageOf(error),
				`restore a backup (svc help backup), or make new keys: svc gateway stop; ${sqlite('delete from api_key; delete from api_key_use')}; svc keys create`,
			),
		);
	}

	for (const {name, read} of parts) {
		try {
			// oxlint-disable-next-line no-await-in-loop -- it is one file, read in this thread
			await read(reader);
		} catch (error) {
			found.push(
				failed(
					`the ${name} in ${file} cannot be read: ${messageOf(error)}`,
					'svc gateway stop; restore a backup: svc help backup',
				),
			);
		}
	}

	for (const [table, [id, ...others]] of broken) {
		found.push(
			failed(
				`row "${id}"${others.length > 0 ? ` and ${others.length} more` : ''} of the table "${table}" in ${file} cannot be read: lists leave ${others.length > 0 ? 'them' : 'it'} out`,
				'svc gateway stop; restore a backup: svc help backup',
			),
		);
	}

	return found;
}

/** The line `Error: file is not a database` among those that Node prints. */
const reasonIn = (text: string): string =>
	text
		.split('\n')
		.find(line => /^\w*Error\b/.test(line))
		?.replace(/^\w*Error:?\s*/, '') ?? 'it did not say why';
