import {chmod, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';

/** One call of the client, as it saw it. */
export type ForgeCall = {
	readonly args: readonly string[];
	readonly body: string;
	readonly environment: Readonly<Record<string, string>>;
};

export type ForgeClient = AsyncDisposable & {
	/** A `PATH` on which the client comes first. */
	readonly path: string;
	/** Every call so far, oldest first. */
	calls(): Promise<readonly ForgeCall[]>;
	/** From now on the client complains with `message` and exits with 1; `undefined`: it works again. */
	fail(message: string | undefined): Promise<void>;
};

const program = `#!${process.execPath}
const {appendFileSync, existsSync, readFileSync} = require('node:fs');
const {join} = require('node:path');
const at = name => join(__dirname, name);
const body = readFileSync(0, 'utf8');
appendFileSync(at('calls'), JSON.stringify({args: process.argv.slice(2), body, environment: process.env}) + '\\n');
if (existsSync(at('failure'))) {
	process.stderr.write(readFileSync(at('failure')));
	process.exitCode = 1;
}
`;

/** A code host's client named `gh` that writes down how it is called, in a folder of its own. */
export async function installForgeClient(): Promise<ForgeClient> {
	const folder = await mkdtemp(join(tmpdir(), 'svc-forge-'));
	await writeFile(join(folder, 'gh'), program);
	await chmod(join(folder, 'gh'), 0o755);
	await writeFile(join(folder, 'calls'), '');
	return {
		path: [folder, process.env['PATH'] ?? ''].join(delimiter),
		async calls() {
			const text = await readFile(join(folder, 'calls'), 'utf8');
			return text
				.split('\n')
				.filter(line => line !== '')
				.map((line): ForgeCall => JSON.parse(line));
		},
		async fail(message) {
			await (message === undefined
				? rm(join(folder, 'failure'))
				: writeFile(join(folder, 'failure'), message));
		},
		[Symbol.asyncDispose]: async () => rm(folder, {recursive: true, force: true}),
	};
}
