import type {Config, HomePaths} from '../../../config/config.ts';
import type {Diagnostic} from '../../../core/config-view.ts';
import type {Finding} from '../../../core/health.ts';
import {runInGroup, type GroupExit} from '../../../core/process-group.ts';
import type {GatewayStatus} from '../../../gateway/port.ts';
import type {Context} from '../../console/context.ts';

/** The result of one check, without the name of the thing that was checked; `of` distinguishes several things of one kind. */
export type CheckResult = Omit<Finding, 'subject'> & {
	readonly of?: string;
	/** It fails because the store does: left out where that is told of by itself. */
	readonly ofStore?: true;
};

/** The gateway of the home, as far as it shows. */
export type SeenGateway =
	| {readonly kind: 'running'; readonly status: GatewayStatus}
	| {readonly kind: 'silent'; readonly reason: string}
	/** `elsewhere`: another home serves this profile, a sentence. */
	| {readonly kind: 'none'; readonly elsewhere?: string};

/** What checks look at. */
export type DoctorWorld = {
	readonly context: Context;
	readonly paths: HomePaths;
	/** Absent: `config.yaml` or `.env` cannot be read. */
	readonly config: Config | undefined;
	/** What `svc config check` says of the files. */
	readonly problems: readonly Diagnostic[];
	readonly gateway: SeenGateway;
	/** Nothing beyond this machine's own files, processes and ports may be asked. */
	readonly offline: boolean;
	/** What others say the time is, as they were heard. */
	readonly heard: Heard[];
};

/** The `Date` header of an answer, and when it came: milliseconds since 1970. */
export type Heard = {readonly from: string; readonly date: string; readonly at: number};

type Looked = CheckResult | ReadonlyArray<CheckResult | false>;

/** One thing that the doctor looks at. It writes nothing, and ends soon after `signal` aborts. */
export type Check = {
	readonly subject: string;
	/** It starts programs of others or asks machines: left out with `--offline`. */
	readonly asks?: true;
	/** It draws on what the others found. */
	readonly comesLast?: true;
	look(world: DoctorWorld, signal: AbortSignal): Promise<Looked> | Looked;
};

const finding =
	(health: Finding['health']) =>
	(found: string, mend?: string, of?: string): CheckResult => ({
		health,
		found,
		...(mend !== undefined && {mend}),
		...(of !== undefined && {of}),
	});

export const ok = finding('ok');
export const unknown = finding('unknown');
export const warning = finding('warning');
export const failed = finding('failed');

/** What fails because the store does. */
export const failedOfStore = (found: string, mend?: string): CheckResult => ({
	...failed(found, mend),
	ofStore: true,
});

type ProgramWorld = Pick<Context, 'clock'> & {
	readonly env?: Readonly<Record<string, string>>;
	readonly timeoutMs: number;
	readonly signal: AbortSignal;
};

/** Runs a program that reads nothing, in a group of its own; the first 16 KiB of what it says are kept. */
export async function runProgram(
	[command, ...args]: readonly [string, ...string[]],
	{clock, env = {}, timeoutMs, signal}: ProgramWorld,
): Promise<GroupExit> {
	const output = {limitBytes: 16 * 1024, above: 'keep-start'} as const;
	const streams = {input: '', stdout: output, stderr: output};
	const limits = {timeoutMs, termGraceMs: 0, signal};
	return runInGroup({command, args, env, cwd: '/', ...streams, ...limits}, {clock});
}

/** Of a check that would ask, with `--offline`. */
export const notAsked: CheckResult = unknown('not asked (--offline)');

/** The result of a check that needs the configuration, when the configuration cannot be read. */
export const unread: CheckResult = unknown('config.yaml cannot be read, see above');
