import type {HomePaths} from '../../config/config.ts';
import type {Environment} from '../../config/environment.ts';
import type {Clock} from '../../core/clock.ts';

/** What a command runs in. */
export type CommandWorld = Omit<Context, 'exit' | 'paths' | 'run' | 'version'>;

/** What tells of a Ctrl-C. */
export type Interrupts = {
	on(signal: 'SIGINT', listener: () => void): unknown;
	off(signal: 'SIGINT', listener: () => void): unknown;
};

/** What a command was started with: the world, as parameters. */
export type Context = {
	readonly stdin: NodeJS.ReadStream;
	readonly stdout: NodeJS.WriteStream;
	readonly stderr: NodeJS.WriteStream;
	/** The process's environment; a profile's `.env` is added where it counts. */
	readonly environment: Environment;
	readonly clock: Clock;
	readonly version: string;
	/** The process that started this one for a person at a terminal, and gives the shell its prompt back when told to. */
	readonly launcher?: number | undefined;
	/** Aborted when the person at the prompt of `svc --linear` gives the command up: nothing is asked any more. */
	readonly signal?: AbortSignal;
	/** Where Ctrl-C arrives as `SIGINT`, when that is not the process: at the prompt of `svc --linear` it must not end the gateway. */
	readonly interrupts?: Interrupts;
	/** At the prompt of `svc --linear`: no pager or editor takes the terminal unless it is asked for, and a row of a table is a line of names and whole values. */
	readonly appendsOnly?: boolean;
	/** Files of the profile that `--profile` names, which must be there unless `mayBeNew`. @throws SvcError `profile_invalid`, `profile_not_found` */
	paths(options?: {readonly mayBeNew?: boolean}): HomePaths;
	/** Runs another command line in this process. Never rejects. */
	run(argv: readonly string[], world: CommandWorld): Promise<ExitCode>;
	/** Sets what the process exits with when the command is done. @see manual/commands.md#common-ground */
	exit(code: ExitCode): void;
};

/** 0 done · 1 failed · 2 wrong usage · 3 configuration refused · 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 3 | 130;
