import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/** A data directory of `svc`, removed with everything in it. */
export type BenchHome = Disposable & {readonly path: string};

/** A temporary data directory that holds `config` as its `config.yaml`. */
export function makeHome(config: string): BenchHome {
	const path = mkdtempSync(join(tmpdir(), 'svc-bench-'));
	writeFileSync(join(path, 'config.yaml'), config, {mode: 0o600});
	return {
		path,
		[Symbol.dispose]() {
			rmSync(path, {recursive: true, force: true, maxRetries: 5});
		},
	};
}
