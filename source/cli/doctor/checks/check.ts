import type {Config, HomePaths} from '../../../config/config.ts';
import type {Diagnostic} from '../../../core/config-view.ts';
import type {Finding} from '../../../core/health.ts';
import {runInGroup, type GroupExit} from '../../../core/process-group.ts';
import type {GatewayStatus} from '../../../gateway/port.ts';
import type {Context} from '../../console/context.ts';

/** The result of a check, without the name of what was checked; `of` distinguishes several things of one kind. */
export type CheckResult = Omit<Finding, 'subject'> & {
	readonly of?: string;
	/** The failure is caused by the store; omitted if that is reported separately. */
	readonly ofStore?: true;
};

/** The home's gateway, as far as visible. */
export type SeenGateway =
	| {readonly kind: 'running'; readonly status: GatewayStatus}
	| {readonly kind: 'silent'; readonly reason: string}
	/** `elsewhere`: a sentence saying that another home serves this profile. */
	| {readonly kind: 'none'; readonly elsewhere?: string};

/** The input of checks. */
export type DoctorWorld = {
	readonly context: Context;
	readonly paths: HomePaths;
	/** Absent if `config.yaml` or `.env` is unreadable. */
	readonly config: Config | undefined;
	/** The findings of `svc config check`. */
	readonly problems: readonly Diagnostic[];
	readonly gateway: SeenGateway;
	/** Only this machine's own files, processes and ports may be examined. */
	readonly offline: boolean;
	/** Times reported by others, in the order heard. */
	readonly heard: Heard[];
};

/** The `Date` header of an answer, and its arrival in milliseconds since 1970. */
export type Heard = {readonly from: string; readonly date: string; readonly at: number};

type Looked = CheckResult | ReadonlyArray<CheckResult | false>;

/** One check of the doctor. It writes nothing, and ends soon after `signal` aborts. */
export type Check = {
	readonly subject: string;
	/** Starts others' programs or contacts machines: skipped with `--offline`. */
	readonly asks?: true;
	/** Uses the results of the other checks. */
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

/** A failure caused by the store. */
export const failedOfStore = (found: string, mend?: string): CheckResult => ({
	...failed(found, mend),
	ofStore: true,
});

type ProgramWorld = Pick<Context, 'clock'> & {
	readonly env?: Readonly<Record<string, string>>;
	readonly timeoutMs: number;
	readonly signal: AbortSignal;
};

/** Runs a program without input, in its own process group; keeps the first 16 KiB of output. */
export async function runProgram(
	[command, ...args]: readonly [string, ...string[]],
	{clock, env = {}, timeoutMs, signal}: ProgramWorld,
): Promise<GroupExit> {
	const output = {limitBytes: 16 * 1024, above: 'keep-start'} as const;
	const streams = {input: '', stdout: output, stderr: output};
	const limits = {timeoutMs, termGraceMs: 0, signal};
	return runInGroup({command, args, env, cwd: '/', ...streams, ...limits}, {clock});
}

/** The result of a skipped check with `--offline`. */
export const notAsked: CheckResult = unknown('not asked (--offline)');

/** The result of a check that needs the configuration, when that is unreadable. */
export const unread: CheckResult = unknown('config.yaml cannot be read, see above');
