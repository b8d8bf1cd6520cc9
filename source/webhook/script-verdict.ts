import {isJsonObject, parsedJson} from '../core/json.ts';
import type {JsonValue} from '../core/json.ts';

/** How a script's process ended. */
export type ScriptExit =
	| {
			readonly kind: 'exited';
			/** `null` when a signal ended it. */
			readonly code: number | null;
			readonly stdout: string;
			/** The last characters of its error output. */
			readonly stderr: string;
	  }
	/** `waitedMs` in line came before. */
	| {readonly kind: 'timeout'; readonly afterMs: number; readonly waitedMs: number}
	| {readonly kind: 'too-much-output'; readonly limitBytes: number}
	| {readonly kind: 'missing'}
	| {readonly kind: 'stopped'}
	| {readonly kind: 'not-started'; readonly reason: string};

/** `detail` may hold what the script printed: clean it before it is shown. */
export type ScriptVerdict =
	| {readonly kind: 'replace'; readonly payload: JsonValue; readonly detail: string}
	/** The script asked for it. */
	| {readonly kind: 'ignore'; readonly detail: string}
	/** Answered like `ignore` unless the route has `retry_on_script_failure`. */
	| {readonly kind: 'failed'; readonly detail: string};

const ignore = (detail: string): ScriptVerdict => ({kind: 'ignore', detail});

const failed = (detail: string): ScriptVerdict => ({kind: 'failed', detail});

/**
 * What a script's end means for its event. Pure.
 *
 * @see manual/filters-and-templates.md#scripts
 */
export function judgeScript(exit: ScriptExit, payload: JsonValue): ScriptVerdict {
	switch (exit.kind) {
		case 'missing':
			return failed('no such script in the scripts folder');
		case 'timeout':
			return failed(
				`killed after ${seconds(exit.afterMs)}${exit.waitedMs >= 1 ? ` (and ${seconds(exit.waitedMs)} in line)` : ''}`,
			);
		case 'too-much-output':
			return failed(`killed after ${exit.limitBytes} bytes of output`);
		case 'stopped':
			return failed('not finished because the gateway stops');
		case 'not-started':
			return failed(`did not start: ${exit.reason}`);
		case 'exited':
			return exit.code === 0
				? judgeOutput(exit.stdout.trim(), payload)
				: failed(
						`${exit.code === null ? 'ended by a signal' : `exit code ${exit.code}`}${exit.stderr === '' ? '' : `: ${exit.stderr.trim()}`}`,
					);
	}
}

const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;

function judgeOutput(output: string, payload: JsonValue): ScriptVerdict {
	if (output === '') {
		return ignore('printed nothing');
	}

	if (output === '[SILENT]') {
		return ignore('printed [SILENT]');
	}

	const parsed = parsedJson(output);
	if (parsed === undefined) {
		return {
			kind: 'replace',
			payload: {...asObject(payload), script_output: output},
			detail: `added script_output, ${output.length} characters`,
		};
	}

	if (!isJsonObject(parsed)) {
		return failed('printed JSON that is no object');
	}

	return Object.hasOwn(parsed, '__svc_ignore__') && parsed['__svc_ignore__'] === true
		? ignore('printed __svc_ignore__')
		: {kind: 'replace', payload: parsed, detail: 'replaced the payload'};
}

/** A payload that is a list or a scalar has no place for `script_output`; it moves to the member `payload`. */
const asObject = (payload: JsonValue) => (isJsonObject(payload) ? payload : {payload});
