import {
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {delimiter, dirname, join} from 'node:path';
import type {Environment} from '../../config/environment.ts';
import {type FileLock, lockFile} from '../../core/file-lock.ts';
import {asWord} from '../../core/shell-words.ts';

/** A data directory of the demo's own, removed when it is disposed of, and at the end of the process at the latest. */
export type DemoHome = Disposable & {
	/** The home; beside it there are the programs of the demo and its lock, and nothing else. */
	readonly path: string;
	write(name: string, text: string): void;
	/** Makes the programs that the demo starts: parts of this program, which `command` starts, and a client of a code host, of which it returns the place. */
	addPrograms(command: readonly [string, ...string[]]): string;
	/** What is passed on of `environment`: the person's terminal and editor, and nothing that could name another place or hold a key. */
	environment(of: Environment): Environment;
};

/** Names of variables that are about the terminal, the person before it, and where programs are. */
const passedOn =
	/^(?:PATH|TERM|TERM_[A-Z_]+|COLORTERM|COLORFGBG|NO_COLOR|LANG|LC_[A-Z]+|TZ|EDITOR|VISUAL|PAGER|LESS|SHELL|USER|LOGNAME|TMPDIR|TMUX|TMUX_PANE|STY|CI|CONTINUOUS_INTEGRATION|SVC_SCREEN_READER|WAYLAND_DISPLAY|DISPLAY|XDG_RUNTIME_DIR|SSH_TTY|SSH_CONNECTION|SSH_CLIENT)$/;

/** A code host's client that posts nothing: it notes what it was asked, and says that it did it. */
const client = `echo "$*" >> "\${0%/*}/../client.log"
while read -r line; do :; done
echo "https://github.com/northwind/depot/pull/412#issuecomment-1"`;

const parts = {'tracker-mcp': 'tracker', 'notes-mcp': 'notes', browser: 'browser'} as const;

/** Makes the folder, and removes those of demos that were killed. @throws what the file system says, SvcError `lock_failed` */
export function makeDemoHome(): DemoHome {
	tidy();
	const {folder, lock} = makeFolder();
	const path = join(folder, '.svc');
	const programs = join(folder, 'bin');
	const remove = () => {
		removeFolder(folder);
		lock[Symbol.dispose]();
	};

	const writeProgram = (name: string, script: string) => {
		writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, {mode: 0o700});
		return join(programs, name);
	};

	// A second signal ends the process where it stands.
	process.once('exit', remove);
	mkdirSync(path, {mode: 0o700});
	mkdirSync(programs, {mode: 0o700});
	return {
		path,
		write(name, text) {
			mkdirSync(dirname(join(path, name)), {recursive: true, mode: 0o700});
			writeFileSync(join(path, name), text, {mode: 0o600});
		},
		addPrograms(command) {
			for (const [name, part] of Object.entries(parts)) {
				const words = [...command, 'demo-part', part].map(word => asWord(word));
				writeProgram(name, `exec ${words.join(' ')} "$@"`);
			}

			return writeProgram('client', client);
		},
		environment: of => ({
			...Object.fromEntries(Object.entries(of).filter(([name]) => passedOn.test(name))),
			PATH: [programs, of['PATH']].filter(Boolean).join(delimiter),
			HOME: folder,
			SVC_HOME: path,
			BROWSER: join(programs, 'browser'),
		}),
		[Symbol.dispose]() {
			process.off('exit', remove);
			remove();
		},
	};
}

const folderPrefix = 'svc-demo-';

/** Beside the home: locked for as long as the process of the demo lives. */
const lockIn = (folder: string) => join(folder, 'lock');

const removeFolder = (folder: string) => {
	rmSync(folder, {recursive: true, force: true, maxRetries: 5});
};

function makeFolder(): {readonly folder: string; readonly lock: FileLock} {
	for (;;) {
		const folder = mkdtempSync(join(tmpdir(), folderPrefix));
		try {
			const lock = lockFile(lockIn(folder));
			if (lock) {
				return {folder, lock};
			}
		} catch (error) {
			if (existsSync(folder)) {
				removeFolder(folder);
				throw error;
			}
		}
		// Another demo that starts took it for one that was left before it was locked: it is gone, or will be.
	}
}

/** Removes the folders of this user's demos whose process is gone, as far as that goes. */
function tidy(): void {
	const user = process.getuid?.();
	for (const name of namesIn(tmpdir())) {
		const folder = join(tmpdir(), name);
		try {
			const found = lstatSync(folder);
			const isOurs = found.isDirectory() && found.uid === user && existsSync(lockIn(folder));
			using lock = isOurs ? lockFile(lockIn(folder)) : undefined;
			if (lock) {
				removeFolder(folder);
			}
		} catch {
			// Nothing depends on it, and the next demo tries again.
		}
	}
}

function namesIn(folder: string): readonly string[] {
	try {
		return readdirSync(folder).filter(name => name.startsWith(folderPrefix));
	} catch {
		return [];
	}
}
