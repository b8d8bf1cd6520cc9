// Brings a checkout to the point where it runs: installs when node_modules is missing or was made from another lock
// file, builds when the build is older than the sources. Plain JavaScript for any Node from 18 on: the Node that the
// program needs arrives with the install.
import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {refreshBuild} from './build/refresh.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const at = (...parts) => join(root, ...parts);

const say = text => {
	process.stderr.write(`${text}\n`);
};

const run = (title, command, args) => {
	say(title);
	const {status, error} = spawnSync(command, args, {cwd: root, stdio: ['ignore', 2, 2]});
	if (error || status !== 0) {
		say(`${title} failed${error ? `: ${error.message}` : ` with exit code ${status}`}`);
		process.exit(1);
	}
};

const lockHash = createHash('sha256')
	.update(readFileSync(at('package-lock.json')))
	.digest('hex');
const installStamp = at('node_modules', '.made-from-lock');
const installed = existsSync(installStamp) && readFileSync(installStamp, 'utf8') === lockHash;

if (!installed) {
	const npm = process.env.npm_execpath;
	const flags = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
	if (npm?.endsWith('.js')) {
		run('Installing dependencies', process.execPath, [npm, ...flags]);
	} else {
		run('Installing dependencies', 'npm', flags);
	}

	writeFileSync(installStamp, lockHash);
}

try {
	refreshBuild();
} catch (error) {
	say(error.message);
	process.exit(1);
}
