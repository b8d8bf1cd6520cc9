import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import type {Clock} from '../core/clock.ts';
import {SvcError} from '../core/errors.ts';
import {withFileLock} from '../core/file-lock.ts';
import {refusePlantedFolder} from '../core/own-files.ts';
import type {HomePaths} from './config.ts';
import {editYaml, type YamlEdit} from './edit-yaml.ts';
import {firstConfig} from './first-config.ts';
import {formatDiagnostic} from './format-diagnostic.ts';
import {diagnosticIn} from './place-diagnostic.ts';
import {readTextFile, refuseTooLarge, writePrivateFile} from './text-files.ts';
import {parseYamlSource} from './yaml-source.ts';

/** How an edit is made. */
export type EditOptions = {
	readonly clock: Clock;
	/** Checks the new text against the old one; throws to refuse the edit. */
	readonly check?: (text: string, before: string) => void;
};

const lockWaitMs = 10_000;
/** Largest `config.yaml` in bytes. */
export const maxConfigBytes = 1024 * 1024;

/**
 * Sets keys in `config.yaml` and keeps comments and order of everything else; a missing file starts as `firstConfig()`. Concurrent edits by two processes lose nothing:
 * pass edits that depend on the content as a function, which is called under the lock. If that function or `check` throws, nothing is written.
 *
 * @throws SvcError `config_broken` for a file that does not parse, which is never overwritten; `config_not_editable` when a path leads
 * through a value that is no mapping, or to one that other places share; `file_too_large`, `lock_timeout`
 * @see manual/configuration.md#how-the-file-is-read
 */
export async function editConfig(
	paths: HomePaths,
	edits: readonly YamlEdit[] | ((written: unknown) => readonly YamlEdit[]),
	{clock, check}: EditOptions,
): Promise<void> {
	refusePlantedFolder(paths.run);
	mkdirSync(paths.run, {recursive: true, mode: 0o700});
	await withFileLock(
		join(paths.run, 'config.lock'),
		async () => {
			const existing = readTextFile(paths.config, maxConfigBytes);
			const before = existing ?? firstConfig();
			const text = editConfigText(before, edits, paths.config);
			if (text !== existing) {
				check?.(text, before);
				refuseTooLarge(paths.config, text, maxConfigBytes);
				await writePrivateFile(paths.config, text);
			}
		},
		{waitMs: lockWaitMs, clock},
	);
}

/** `text` with the edits applied; `file` is its name in messages. Pure; throws as `editConfig` does. */
export function editConfigText(
	text: string,
	edits: Parameters<typeof editConfig>[1],
	file: string,
): string {
	const {problems, value} = parseYamlSource(text);
	const [problem] = problems;
	if (problem) {
		throw new SvcError(
			'config_broken',
			`Cannot edit "${file}": mend it first, ${formatDiagnostic(diagnosticIn(file, {severity: 'error', ...problem}))}`,
		);
	}

	return (typeof edits === 'function' ? edits(value) : edits).reduce(editYaml, text);
}
