import {mkdir, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';

export type TemporaryHome = AsyncDisposable & {
	readonly path: string;
	file(name: string): string;
	read(name: string): Promise<string>;
	/** Folders that are missing on the way are made. */
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
		async write(name, text) {
			await mkdir(dirname(join(path, name)), {recursive: true, mode: 0o700});
			await writeFile(join(path, name), text, {mode: 0o600});
		},
		[Symbol.asyncDispose]: () => rm(path, {recursive: true, force: true, maxRetries: 5}),
	};
	for (const [name, text] of Object.entries(files)) {
		await home.write(name, text);
	}

	return home;
}
