import {rm} from 'node:fs/promises';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {SvcError} from '../../core/errors.ts';
import type {Context} from '../console/context.ts';
import type {HandlerCommand} from './handler-command.ts';
import {runTool} from './run-tool.ts';

const launchServices =
	'/System/Library/Frameworks/CoreServices.framework/Frameworks/LaunchServices.framework/Support/lsregister';

const bundleIn = ({environment}: Pick<Context, 'environment'>): string =>
	join(environment['HOME'] || homedir(), 'Applications', 'svc-open.app');

/** The steps that make a small application of a script and tell the system which scheme it opens, program by program. Nobody has run them yet. */
export function macosSteps(
	bundle: string,
	command: HandlerCommand,
): ReadonlyArray<readonly [string, ...string[]]> {
	const plist = join(bundle, 'Contents', 'Info.plist');
	const set = (line: string) => ['/usr/libexec/PlistBuddy', '-c', line, plist] as const;
	return [
		['/bin/mkdir', '-p', join(bundle, '..')],
		['/usr/bin/osacompile', '-o', bundle, '-e', handlerScript(command)],
		set('Add :CFBundleIdentifier string local.svc.open'),
		set('Add :CFBundleURLTypes array'),
		set('Add :CFBundleURLTypes:0 dict'),
		set('Add :CFBundleURLTypes:0:CFBundleURLName string svc'),
		set('Add :CFBundleURLTypes:0:CFBundleURLSchemes array'),
		set('Add :CFBundleURLTypes:0:CFBundleURLSchemes:0 string svc'),
		// A changed bundle needs a signature anew.
		['/usr/bin/codesign', '--force', '--sign', '-', bundle],
		[launchServices, '-f', bundle],
	];
}

/** Terminal takes a line for its shell: each word is quoted by `quoted form of`, the link too. */
function handlerScript({argv, variables}: HandlerCommand): string {
	const words = [
		...(Object.keys(variables).length > 0 ? ['/usr/bin/env'] : []),
		...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
		...argv,
	];
	const quoted = [...words.map(appleText), 'theLink'].map(word => `quoted form of ${word}`);
	return [
		'on open location theLink',
		`set theLine to ${quoted.join(' & " " & ')}`,
		'tell application "Terminal"',
		'activate',
		'do script theLine',
		'end tell',
		'end open location',
	].join('\n');
}

const appleText = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

/** @throws SvcError `handler_unavailable` naming the step that failed */
export async function registerOnMacos(
	context: Context,
	command: HandlerCommand,
): Promise<readonly string[]> {
	const bundle = bundleIn(context);
	await rm(bundle, {recursive: true, force: true});
	for (const [program, ...args] of macosSteps(bundle, command)) {
		// oxlint-disable-next-line no-await-in-loop -- each step needs the one before
		const outcome = await runTool(context, program, args);
		if (outcome !== 'done') {
			throw new SvcError(
				'handler_unavailable',
				`Cannot register the svc:// scheme: "${program}" ${outcome === 'missing' ? 'is not there' : `failed: ${outcome.failed}`}`,
			);
		}
	}

	return [`Wrote ${bundle}`];
}

export async function unregisterOnMacos(context: Context): Promise<readonly string[]> {
	const bundle = bundleIn(context);
	await runTool(context, launchServices, ['-u', bundle]);
	await rm(bundle, {recursive: true, force: true});
	return [`Removed ${bundle}`];
}
