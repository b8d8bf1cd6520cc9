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

/** A temporary data directory for the demo, removed on disposal, or at the latest at the end of the process. */
export type DemoHome = Disposable & {
	/** The home; its folder also contains the demo's programs and its lock. */
	readonly path: string;
	write(name: string, text: string): void;
	/** Creates the programs that the demo starts: parts of svc, started by `command`, and a code host's client, whose path is returned. */
	addPrograms(command: readonly [string, ...string[]]): string;
	/** The variables to inherit: those of the terminal and editor, none that could name another location or contain a key. */
	environment(of: Environment): Environment;
};

/** Variables about the terminal, the person at it, and the location of programs. */
const passedOn =
	/^(?:PATH|TERM|TERM_[A-Z_]+|COLORTERM|COLORFGBG|NO_COLOR|LANG|LC_[A-Z]+|TZ|EDITOR|VISUAL|PAGER|LESS|SHELL|USER|LOGNAME|TMPDIR|TMUX|TMUX_PANE|STY|CI|CONTINUOUS_INTEGRATION|SVC_SCREEN_READER|WAYLAND_DISPLAY|DISPLAY|XDG_RUNTIME_DIR|SSH_TTY|SSH_CONNECTION|SSH_CLIENT)$/;

/** A fake client of a code host: records its arguments, and reports success. */
const client = `echo "$*" >> "\${0%/*}/../client.log"
while read -r line; do :; done
echo "https://github.com/northwind/depot/pull/412#issuecomment-1"`;

const parts = {'tracker-mcp': 'tracker', 'notes-mcp': 'notes', browser: 'browser'} as const;

/** Creates the folder, and removes those of killed demos. @throws what the file system says, SvcError `lock_failed` */
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

	// A second signal exits the process without disposal.
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

/** Beside the home; held for as long as the demo's process lives. */
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
		// Another starting demo saw it unlocked, and took it for an old one: it is gone, or will be.
	}
}

/** Removes the folders of this user's dead demos, as far as possible. */
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
			// Not essential; the next demo tries again.
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
