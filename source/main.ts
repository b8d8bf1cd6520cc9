import module from 'node:module';

// No static import besides: on an old Node the rest of the program may not even parse.
const oldestNode = 24;

if (Number.parseInt(process.versions.node, 10) < oldestNode) {
	process.stderr.write(
		`svc needs Node ${oldestNode} or newer, this is ${process.version}: install a newer Node, or use "npm start" in a checkout, which brings its own\n`,
	);
	process.exitCode = 1;
} else {
	const {compileCacheFolder} = await import('./config/home-paths.ts');
	module.enableCompileCache(compileCacheFolder());

	const {runCommand} = await import('./cli/run-command.ts');
	process.exitCode = await runCommand(process.argv.slice(2));
}
