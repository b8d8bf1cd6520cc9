import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

export type SmallDisk = Disposable & {
	readonly path: string;
	/** Leaves no room: what is asked for afterwards is refused. */
	fill(): void;
};

/** A file system of 8 MiB; `undefined` without the right to mount one. */
export function mountSmallDisk(): SmallDisk | undefined {
	const folder = mkdtempSync(join(tmpdir(), 'svc-disk-'));
	const path = join(folder, 'small');
	mkdirSync(path);
	try {
		execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', path], {stdio: 'ignore'});
	} catch {
		rmSync(folder, {recursive: true});
		return undefined;
	}

	return {
		path,
		fill() {
			for (const [name, bytes] of [
				['large', 65_536],
				['small', 4096],
			] as const) {
				try {
					for (;;) {
						writeFileSync(join(path, `${name}.junk`), new Uint8Array(bytes), {flag: 'a'});
					}
				} catch {}
			}
		},
		[Symbol.dispose]() {
			execFileSync('/bin/umount', ['-l', path]);
			rmSync(folder, {recursive: true});
		},
	};
}
