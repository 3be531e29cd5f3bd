# SPDX-License-Identifier: GPL-2.0-or-later
# The macros of configure.ac.

# UDPSIM_PROBE_CFLAG(VARIABLE, FLAG)
# Append FLAG to VARIABLE if the compiler takes it without a warning.
AC_DEFUN([UDPSIM_PROBE_CFLAG], [
AS_VAR_PUSHDEF([accepted], [udpsim_cv_cflag_$2])
AC_CACHE_CHECK([whether $CC accepts $2], [accepted], [
	udpsim_save_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS -Werror $2"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
		[AS_VAR_SET([accepted], [yes])],
		[AS_VAR_SET([accepted], [no])])
	CFLAGS=$udpsim_save_CFLAGS
])
AS_VAR_IF([accepted], [yes], [AS_VAR_APPEND([$1], [" $2"])])
AS_VAR_POPDEF([accepted])
])

# UDPSIM_PROBE_CFLAGS(VARIABLE, FLAGS)
# The same for each of FLAGS, a list with blanks between.
AC_DEFUN([UDPSIM_PROBE_CFLAGS],
	[m4_foreach_w([flag], [$2], [UDPSIM_PROBE_CFLAG([$1], m4_quote(flag))])])

# UDPSIM_PROBE_LDFLAG(VARIABLE, FLAG)
# Append FLAG to VARIABLE if the linker takes it.
AC_DEFUN([UDPSIM_PROBE_LDFLAG], [
AS_VAR_PUSHDEF([accepted], [udpsim_cv_ldflag_$2])
AC_CACHE_CHECK([whether the linker accepts $2], [accepted], [
	udpsim_save_LDFLAGS=$LDFLAGS
	LDFLAGS="$LDFLAGS $2"
	AC_LINK_IFELSE([AC_LANG_PROGRAM()],
		[AS_VAR_SET([accepted], [yes])],
		[AS_VAR_SET([accepted], [no])])
	LDFLAGS=$udpsim_save_LDFLAGS
])
AS_VAR_IF([accepted], [yes], [AS_VAR_APPEND([$1], [" $2"])])
AS_VAR_POPDEF([accepted])
])

# UDPSIM_NEED_SANITIZERS(FLAGS)
# End with an error if a program does not link with FLAGS.
AC_DEFUN([UDPSIM_NEED_SANITIZERS], [
AC_MSG_CHECKING([whether $CC links with the sanitizers])
udpsim_save_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS $1"
AC_LINK_IFELSE([AC_LANG_PROGRAM()],
	[AC_MSG_RESULT([yes])],
	[AC_MSG_RESULT([no])
	AC_MSG_ERROR([$CC does not link with $1: install libclang-rt-dev (clang) or libgcc-12-dev (gcc)])])
CFLAGS=$udpsim_save_CFLAGS
])

# UDPSIM_NEED_MODULE(PREFIX, MODULE, VERSION, DEBIAN-PACKAGE)
# Set PREFIX_CFLAGS, PREFIX_LIBS and PREFIX_VERSION, or note what is missing.
AC_DEFUN([UDPSIM_NEED_MODULE], [
PKG_CHECK_MODULES([$1], [$2 >= $3],
	[$1_VERSION=`$PKG_CONFIG --modversion $2 2>/dev/null`],
	[AS_VAR_APPEND([udpsim_missing], ["
  $2 >= $3 not found: install $4"])])
])

# UDPSIM_MODULES_DONE
# End with an error that names each module noted as missing.
AC_DEFUN([UDPSIM_MODULES_DONE], [
AS_IF([test -n "$udpsim_missing"],
	[AC_MSG_ERROR([some libraries are missing (Debian's package names):$udpsim_missing])])
])
