// The bundle, kept up with the sources. Plain JavaScript for any Node from 18 on, like the set-up that calls it.
import {spawnSync} from 'node:child_process';
import {existsSync, readdirSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const at = (...parts) => join(root, ...parts);

const changedAt = path => statSync(path).mtimeMs;

// A folder's own time tells of files that were removed or renamed.
const newest = folder =>
	readdirSync(folder, {withFileTypes: true}).reduce((latest, entry) => {
		const path = join(folder, entry.name);
		return Math.max(latest, entry.isDirectory() ? newest(path) : changedAt(path));
	}, changedAt(folder));

const isStale = () => {
	const entry = at('build', 'main.js');
	return (
		!existsSync(entry) ||
		changedAt(entry) <
			Math.max(
				newest(at('source')),
				newest(at('scripts', 'build')),
				changedAt(at('package-lock.json')),
				changedAt(at('package.json')),
			)
	);
};

/** Builds when the build is older than the sources. Throws when it cannot be built. */
export const refreshBuild = () => {
	if (!isStale()) {
		return;
	}

	process.stderr.write('Building\n');
	const {status, error} = spawnSync(
		at('node_modules', '.bin', 'node'),
		[at('scripts', 'build', 'bundle.mjs')],
		{cwd: root, stdio: ['ignore', 2, 2]},
	);
	if (error || status !== 0) {
		throw new Error(`Building failed: ${error?.message ?? `exit code ${status}`}`);
	}
};
