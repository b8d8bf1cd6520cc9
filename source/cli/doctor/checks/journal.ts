import {existsSync, statSync} from 'node:fs';
import {runInGroup} from '../../../core/process-group.ts';
import {asWord} from '../../../core/shell-word.ts';
import {untouched} from '../../../store/untouched.ts';
import {type Check, failed, ok, warning} from './check.ts';

const limitMs = 8000;

/** For a Node of its own, with the URL of the file. */
const program = `
	const {DatabaseSync} = require('node:sqlite');
	const database = new DatabaseSync(new URL(process.argv[1]), {readOnly: true, timeout: 2000});
	const rows = database.prepare('pragma quick_check(5)').all();
	process.stdout.write(rows.map(row => Object.values(row)[0]).join('; '));
`;

/** Whether the journal is whole, as SQLite's own quick look tells: in a process of its own that can be ended, for nobody can end a look inside SQLite. */
export const journal: Check = {
	subject: 'journal',
	async look({paths: {stateDb}, context}, signal) {
		if (!existsSync(stateDb)) {
			return [ok('there is none yet')];
		}

		const output = {limitBytes: 16 * 1024, above: 'keep-start'} as const;
		const exit = await runInGroup(
			{
				command: process.execPath,
				args: ['--no-warnings', '-e', program, '--', untouched(stateDb).href],
				env: {},
				cwd: '/',
				input: '',
				stdout: output,
				stderr: output,
				timeoutMs: limitMs,
				termGraceMs: 0,
				signal,
			},
			context,
		);
		const size = `${Math.ceil(statSync(stateDb).size / 1024 ** 2)} MiB`;
		if (exit.kind === 'timeout' || exit.kind === 'aborted') {
			return [
				warning(
					`${stateDb} (${size}) was not looked through within ${limitMs / 1000} s`,
					`sqlite3 -readonly ${asWord(stateDb)} "pragma quick_check"`,
				),
			];
		}

		if (exit.kind === 'exited' && exit.code === 0 && exit.stdout.trim() === 'ok') {
			return [ok(`${stateDb} is whole (${size})`)];
		}

		const said = exit.kind === 'exited' ? exit.stdout.trim() || reasonIn(exit.stderr) : exit.kind;
		return [
			failed(
				`${stateDb} is damaged or cannot be read: ${said}`,
				'svc gateway stop; move the file away, or restore a backup: svc help backup',
			),
		];
	},
};

/** `Error: file is not a database`, of the lines that Node prints. */
const reasonIn = (text: string): string =>
	text
		.split('\n')
		.find(line => /^\w*Error\b/.test(line))
		?.replace(/^\w*Error:?\s*/, '') ?? 'it did not say why';
