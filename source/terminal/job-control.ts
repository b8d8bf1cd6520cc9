import type {Suspend} from './suspend.ts';

type Program = Pick<
	NodeJS.Process,
	'on' | 'off' | 'listeners' | 'removeAllListeners' | 'pid' | 'ppid' | 'kill'
>;

const nothing = () => {};

/**
 * Ignores a Ctrl-C that is meant for another program on the terminal, since the whole foreground process group receives it. Returns a function that restores the
 * previous handlers.
 */
export function holdInterrupts(program: Program): () => void {
	const held = program.listeners('SIGINT');
	program.removeAllListeners('SIGINT');
	program.on('SIGINT', nothing);
	return () => {
		program.off('SIGINT', nothing);
		for (const listener of held) {
			// The declared type of `listeners` is wrong: signal listeners receive the signal.
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion
			program.on('SIGINT', listener as () => void);
		}
	};
}

/**
 * Gives the terminal back before a SIGTSTP from outside stops the process, and takes it again afterwards: Ink alone would leave the shell in the alternate screen
 * with a hidden cursor. `launcher`: the process that the shell waits for, if it is not this one; it is stopped and continued too. Returns a function that ends it.
 */
export function handleStops(program: Program, suspend: Suspend, launcher?: number): () => void {
	const onStop = () => {
		void suspend(async () => {
			const waiting = launcher === program.ppid ? launcher : undefined;
			if (waiting !== undefined) {
				program.kill(waiting, 'SIGSTOP');
			}

			program.kill(program.pid, 'SIGSTOP');
			if (waiting !== undefined) {
				program.kill(waiting, 'SIGCONT');
			}
		});
	};

	program.on('SIGTSTP', onStop);
	return () => program.off('SIGTSTP', onStop);
}
