"use strict";
// Loaded by every Node of a judge's commands. A program that is typed (-e, -p, standard input) counts as a file in the
// working directory, which is a workspace: its packages must not become those of the judge. A script finds its own.

const Module = require("node:module");

const isTyped = (name) => /(^|\/)\[(eval|stdin)\d*\]$/.test(name);
const isPackage = (request, isBuiltin) => !/^(\.{0,2}\/|\.{1,2}$|[a-z]+:)/.test(request) && !isBuiltin(request);
const resolve = (request, context, next) => {
  if (isTyped(decodeURI(context.parentURL ?? "")) && isPackage(request, isBuiltin)) {
    throw new Error(`Cannot find package '${request}'`);
  }
  return next(request, context);
};

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  const typed = parent && isTyped(parent.id) && isPackage(request, Module.isBuiltin);
  return resolveFilename.call(this, request, typed ? { id: "<typed>", paths: [] } : parent, ...rest);
};

// Imports take another way, which only a hook can change. It runs outside of this file, so it is passed as text.
if (Module.register && (process._eval !== undefined || process.argv.length < 2)) {
  const hook = `import { isBuiltin } from "node:module"; const isTyped = ${isTyped}; const isPackage = ${isPackage};
    export const resolve = ${resolve};`;
  Module.register(`data:text/javascript,${encodeURIComponent(hook)}`);
}
