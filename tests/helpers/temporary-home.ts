import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

export type TemporaryHome = AsyncDisposable & {
	readonly path: string;
	file(name: string): string;
	read(name: string): Promise<string>;
	write(name: string, text: string): Promise<void>;
};

/** A data directory for one test, removed with everything in it. Files by name: `{'config.yaml': '…'}`. */
export async function temporaryHome(
	files: Readonly<Record<string, string>> = {},
): Promise<TemporaryHome> {
	const path = await mkdtemp(join(tmpdir(), 'svc-'));
	const home: TemporaryHome = {
		path,
		file: name => join(path, name),
		read: name => readFile(join(path, name), 'utf8'),
		write: (name, text) => writeFile(join(path, name), text, {mode: 0o600}),
		[Symbol.asyncDispose]: () => rm(path, {recursive: true, force: true, maxRetries: 5}),
	};
	for (const [name, text] of Object.entries(files)) {
		await home.write(name, text);
	}

	return home;
}
