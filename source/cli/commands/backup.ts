import type {Command} from 'commander';
import {countOf} from '../../core/counted.ts';
import {cell} from '../../core/untrusted.ts';
import type {Context} from '../console/context.ts';
import {printLines, tell} from '../console/print.ts';

/** `svc backup FILE` and `svc restore FILE`. */
export function addBackupCommands(program: Command, context: Context): void {
	program
		.command('backup')
		.description(
			'write the home, with its journal and its secrets, into one archive; the gateway may go on running',
		)
		.argument('<file>', 'the archive to write')
		.option('--force', 'replace a file that is there', false)
		.action(async (file: string, {force}: {force: boolean}) => {
			const {createBackup} = await import('../backup/create-backup.ts');
			const {home, profile} = context.paths();
			const {version, clock} = context;
			const backup = await createBackup({home, profile, version, now: clock.now()}, {file, force});
			for (const {path, reason} of backup.leftOut) {
				tell(context, `Left out, because ${reason}: ${cell(path, 300).text}`);
			}

			printLines(context, [
				`${countOf(backup.members, 'file')} of "${home}" ${backup.members === 1 ? 'is' : 'are'} in "${backup.file}", secrets included: keep it where nobody else reads it`,
			]);
		});

	program
		.command('restore')
		.description('put a backup in the place of the home, which must be empty and have no gateway')
		.argument('<file>', 'an archive of "svc backup"')
		.option('--force', 'into a home that is not empty: what is there is set aside', false)
		.action(async (file: string, {force}: {force: boolean}) => {
			const {restoreBackup} = await import('../backup/restore-backup.ts');
			const paths = context.paths({mayBeNew: true});
			const restored = await restoreBackup(paths, {file, force, now: context.clock.now()});
			printLines(context, [
				`${countOf(restored.members, 'file')} of ${restored.madeAt} (svc ${restored.version}) ${restored.members === 1 ? 'is' : 'are'} in "${paths.home}"`,
				...(restored.replaced === undefined
					? []
					: [`What was there before is in "${restored.replaced}"`]),
			]);
		});
}
