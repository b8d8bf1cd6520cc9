import type {HomePaths} from '../../config/config.ts';
import type {Environment} from '../../config/environment.ts';
import type {Clock} from '../../core/clock.ts';

/** The world in which a command runs. */
export type CommandWorld = Omit<Context, 'exit' | 'paths' | 'run' | 'version'>;

/** Emits Ctrl-C. */
export type Interrupts = {
	on(signal: 'SIGINT', listener: () => void): unknown;
	off(signal: 'SIGINT', listener: () => void): unknown;
};

/** A command's environment, as parameters. */
export type Context = {
	readonly stdin: NodeJS.ReadStream;
	readonly stdout: NodeJS.WriteStream;
	readonly stderr: NodeJS.WriteStream;
	/** The process's environment; a profile's `.env` is added where needed. */
	readonly environment: Environment;
	readonly clock: Clock;
	readonly version: string;
	/** The process that started svc for a person at a terminal, and returns the prompt to the shell when told to. */
	readonly launcher?: number | undefined;
	/** Aborts when the person at the prompt of `svc --linear` abandons the command: then nothing more may be asked. */
	readonly signal?: AbortSignal;
	/** Emits Ctrl-C as `SIGINT`, if the process does not: at the prompt of `svc --linear` it must not end the gateway. */
	readonly interrupts?: Interrupts;
	/** At the prompt of `svc --linear`: pager and editor open only on request, and a table's row is printed as a line of names and whole values. */
	readonly appendsOnly?: boolean;
	/** The files of the profile named by `--profile`, which must exist unless `mayBeNew`. @throws SvcError `profile_invalid`, `profile_not_found` */
	paths(options?: {readonly mayBeNew?: boolean}): HomePaths;
	/** Runs another command line in this process. Never rejects. */
	run(argv: readonly string[], world: CommandWorld): Promise<ExitCode>;
	/** Sets the process's exit code for when the command is done. @see manual/commands.md#common-ground */
	exit(code: ExitCode): void;
};

/** 0 done · 1 failed · 2 wrong usage · 3 configuration refused · 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 3 | 130;
