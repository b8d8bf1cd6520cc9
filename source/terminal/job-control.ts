import type {Suspend} from './suspend.ts';

type Program = Pick<
	NodeJS.Process,
	'on' | 'off' | 'listeners' | 'removeAllListeners' | 'pid' | 'ppid' | 'kill'
>;

const nothing = () => {};

/**
 * Keeps a Ctrl-C that is meant for another program on the terminal from ending us: the whole foreground group gets it. Returns the
 * way back to the handlers there were.
 */
export function holdInterrupts(program: Program): () => void {
	const held = program.listeners('SIGINT');
	program.removeAllListeners('SIGINT');
	program.on('SIGINT', nothing);
	return () => {
		program.off('SIGINT', nothing);
		for (const listener of held) {
			// The type of the list is wrong: listeners of a signal are called with it.
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion
			program.on('SIGINT', listener as () => void);
		}
	};
}

/**
 * Gives the terminal back before a SIGTSTP from outside stops the process, and takes it again afterwards: Ink alone leaves the
 * alternate screen and the hidden cursor to the shell. `launcher`: the process that the shell waits for, when it is not this one; it stops and goes on with this one. Returns the way out.
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
